<?php
// Verifies a response token by every rule of the specification; PHP 8 with its curl extension.
declare(strict_types=1);

const RULE_OF = [
    'timeout-or-duplicate' => 'fresh',
    'action-mismatch' => 'action',
    'low-score' => 'score',
];

const TIME = '/\A\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\z/';

/** Returns 'accepted' or the rule that failed. Refuses whatever is uncertain. $response is mixed: a
 *  field given as `svc-response[]=` is an array in PHP. */
function verify(mixed $response, string $url, string $secret, string $action, array $hostnames,
    float $threshold = 0.0, string $remoteip = '', float $timeout = 3.0): string
{
    if (!function_exists('curl_init')) {
        error_log('verify.php: the curl extension of PHP is missing');
        return 'options';
    }
    if (!preg_match('~^https?://.~', $url) || $secret === '' || $action === '') return 'options';
    if ($hostnames === [] || in_array('', $hostnames, true)) return 'options';
    if (!($threshold >= 0 && $threshold <= 1)) return 'options';
    if (!($timeout > 0 && $timeout <= 60)) return 'options';
    if (!is_string($response) || $response === '' || strlen($response) > 2048) return 'response';

    $fields = [
        'secret' => $secret,
        'response' => $response,
        'action' => $action,
        'remoteip' => $remoteip,
        'idempotency_key' => uuid(),
    ];
    $curl = curl_init(rtrim($url, '/') . '/api/v1/siteverify');
    curl_setopt_array($curl, [
        CURLOPT_POSTFIELDS => http_build_query($fields),
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_FOLLOWLOCATION => false,
        CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
    ]);
    $ends = microtime(true) + $timeout;
    $body = ask($curl, $timeout);
    // A lost answer is asked for once more: the key says that it is the same question.
    $left = $ends - microtime(true);
    if (!is_string($body) && $left > 0) $body = ask($curl, $left);
    if (!is_string($body)) return 'transport';
    if (curl_getinfo($curl, CURLINFO_RESPONSE_CODE) !== 200) return 'status';
    return judge($body, $action, $hostnames, $threshold);
}

/** The time-out is for the whole exchange. */
function ask(CurlHandle $curl, float $seconds): string|bool
{
    curl_setopt($curl, CURLOPT_TIMEOUT_MS, max(1, (int) ($seconds * 1000)));
    return curl_exec($curl);
}

/** A random UUID, version 4: RFC 9562. */
function uuid(): string
{
    $bytes = random_bytes(16);
    $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
    $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
    return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
}

/** The rules in their order, with === only: in PHP "true" == true. */
function judge(string $body, string $action, array $hostnames, float $threshold): string
{
    $answer = json_decode($body); // objects stay objects: as arrays, {} and [] would be the same
    if (!$answer instanceof stdClass) return 'shape';
    $codes = $answer->{'error-codes'} ?? null;
    if (($answer->success ?? null) !== true) {
        foreach (is_array($codes) ? $codes : [] as $code) {
            if (is_string($code) && isset(RULE_OF[$code])) return RULE_OF[$code];
        }
        return 'success';
    }
    if ($codes !== []) return 'error-codes';
    if (($answer->action ?? null) !== $action) return 'action';
    $hostname = $answer->hostname ?? null;
    $own = array_map(strtolower(...), $hostnames);
    if (!is_string($hostname) || !in_array(strtolower($hostname), $own, true)) return 'hostname';
    $score = $answer->score ?? null;
    $least = $answer->score_threshold ?? null;
    if (!isShare($score) || !isShare($least)) return 'score';
    if ($score < $least || $score < $threshold) return 'score';
    $time = $answer->challenge_ts ?? null;
    return is_string($time) && preg_match(TIME, $time) ? 'accepted' : 'shape';
}

function isShare(mixed $value): bool
{
    return (is_int($value) || is_float($value)) && $value >= 0 && $value <= 1;
}
