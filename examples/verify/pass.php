<?php
// Makes a pass: you vouch for one visitor, who then needs no score. PHP 8, no extension. Protocol: README.md.
declare(strict_types=1);

/** Returns a pass, made offline. $now and $jti are for tests. Throws for what is missing or wrong. */
function makePass(string $secret, string $action, string $hostname, int $minutes = 30, ?int $now = null, ?string $jti = null): string
{
    if ($secret === '') throw new InvalidArgumentException('secret');
    if (!preg_match('~\A[A-Za-z0-9_\-/.]{1,64}\z~', $action)) throw new InvalidArgumentException('action');
    if (!preg_match('~\A[A-Za-z0-9_.\-]{1,253}\z~', $hostname)) throw new InvalidArgumentException('hostname');
    if ($minutes < 1 || $minutes > 1440) throw new InvalidArgumentException('minutes');
    $issued = $now ?? time();
    $claims = [
        'act' => $action,
        'hst' => strtolower($hostname),
        'iat' => $issued,
        'exp' => $issued + $minutes * 60,
        'jti' => $jti ?? base64url(random_bytes(16)),
    ];
    $signed = spelled(['alg' => 'HS256', 'typ' => 'hv-pass+jwt']) . '.' . spelled($claims);
    return $signed . '.' . base64url(hash_hmac('sha256', $signed, keyOf($secret), true));
}

/** HKDF-SHA-256 (RFC 5869) of the secret's hash, without a salt: the service holds that hash. */
function keyOf(string $secret): string
{
    return hash_hkdf('sha256', hash('sha256', $secret, true), 32, 'human-verification/1/pass');
}

function spelled(array $value): string
{
    return base64url(json_encode($value, JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR));
}

function base64url(string $bytes): string
{
    return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
}

// As a program, and only then: a server includes this file and calls makePass().
if (PHP_SAPI === 'cli' && realpath($_SERVER['SCRIPT_FILENAME']) === __FILE__) {
    $text = fn(string $name): ?string => getenv($name) === false || getenv($name) === '' ? null : (string) getenv($name);
    $number = fn(string $name): ?int => $text($name) === null ? null : (ctype_digit($text($name)) ? (int) $text($name) : -1);
    try {
        echo makePass(
            $text('HV_SECRET') ?? '', $text('HV_ACTION') ?? '', $text('HV_HOSTNAME') ?? '',
            $number('HV_MINUTES') ?? 30, $number('HV_NOW'), $text('HV_ID'),
        ), "\n";
    } catch (InvalidArgumentException) {
        echo "options\n";
        exit(1);
    }
}
