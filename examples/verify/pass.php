<?php
// Makes a pass with firebase/php-jwt (composer require firebase/php-jwt): you vouch for one
// visitor, who then needs no score.
//
//     php pass.php pass-key.json hv_site_… sign-up shop.example.com
declare(strict_types=1);

require getenv('COMPOSER_AUTOLOAD') ?: __DIR__ . '/vendor/autoload.php';

use Firebase\JWT\JWT;

[, $keyFile, $sitekey, $action, $hostname] = $argv;

$key = json_decode(file_get_contents($keyFile), true, flags: JSON_THROW_ON_ERROR);
$pair = sodium_crypto_sign_seed_keypair(JWT::urlsafeB64Decode($key['d']));
$private = base64_encode(sodium_crypto_sign_secretkey($pair));
$claims = [
    'aud' => $sitekey, 'action' => $action, 'hostname' => $hostname,
    'jti' => JWT::urlsafeB64Encode(random_bytes(16)), 'iat' => time(), 'exp' => time() + 1800,
];
echo JWT::encode($claims, $private, 'EdDSA', $key['kid'], ['typ' => 'pass+jwt']), "\n";
