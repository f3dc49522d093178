<?php
// Verifies a response token by every rule of the specification; PHP 8 with its curl extension. Protocol: README.md.
declare(strict_types=1);

const RULE_OF = ['timeout-or-duplicate' => 'fresh', 'action-mismatch' => 'action', 'low-score' => 'score'];

/** Returns 'accepted' or the rule that failed. Refuses whatever is uncertain. $response is mixed: a field given as
 *  `svc-response[]=` is an array in PHP. */
function verify(mixed $response, string $url, string $secret, string $action, array $hostnames,
    float $threshold = 0.0, string $remoteip = '', float $timeout = 3.0): string
{
    if (!function_exists('curl_init')) { error_log('verify.php: the curl extension of PHP is missing'); return 'options'; }
    if (!preg_match('~^https?://.~', $url) || $secret === '' || $action === '' || $hostnames === []) return 'options';
    if (!($threshold >= 0 && $threshold <= 1) || !($timeout > 0 && $timeout <= 60)) return 'options';
    if (!is_string($response) || $response === '' || strlen($response) > 2048) return 'response';

    $fields = ['secret' => $secret, 'response' => $response, 'action' => $action, 'remoteip' => $remoteip, 'idempotency_key' => uuid()];
    $curl = curl_init(rtrim($url, '/') . '/api/v1/siteverify');
    curl_setopt_array($curl, [
        CURLOPT_POSTFIELDS => http_build_query($fields),
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_FOLLOWLOCATION => false,
        CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
    ]);
    // Once more when the answer was lost on the way: the key tells the service that it is the same question.
    $ends = microtime(true) + $timeout;
    for ($try = 0, $body = false; $try < 2 && !is_string($body) && microtime(true) < $ends; $try++) {
        curl_setopt($curl, CURLOPT_TIMEOUT_MS, max(1, (int) (($ends - microtime(true)) * 1000))); // for the whole exchange
        $body = curl_exec($curl);
    }
    if (!is_string($body)) return 'transport';
    if (curl_getinfo($curl, CURLINFO_RESPONSE_CODE) !== 200) return 'status';
    return judge($body, $action, $hostnames, $threshold);
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
    if (!is_string($hostname) || !in_array(strtolower($hostname), array_map('strtolower', $hostnames), true)) return 'hostname';
    $score = $answer->score ?? null;
    $siteThreshold = $answer->score_threshold ?? null;
    if (!isShare($score) || !isShare($siteThreshold) || $score < $siteThreshold || $score < $threshold) return 'score';
    $time = $answer->challenge_ts ?? null;
    if (!is_string($time) || !preg_match('/\A\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\z/', $time)) return 'shape';
    return 'accepted';
}

function isShare(mixed $value): bool
{
    return (is_int($value) || is_float($value)) && $value >= 0 && $value <= 1;
}

// As a program, and only then: a server includes this file and calls verify().
if (PHP_SAPI === 'cli' && realpath($_SERVER['SCRIPT_FILENAME']) === __FILE__) {
    $text = fn(string $name): string => (string) getenv($name);
    $number = fn(string $name, float $default): float =>
        $text($name) === '' ? $default : (is_numeric($text($name)) ? (float) $text($name) : NAN);
    $verdict = verify(
        stream_get_contents(STDIN), $text('HV_URL'), $text('HV_SECRET'), $text('HV_ACTION'),
        array_values(array_filter(explode(',', $text('HV_HOSTNAMES')))),
        $number('HV_THRESHOLD', 0.0), $text('HV_REMOTEIP'), $number('HV_TIMEOUT', 3.0),
    );
    echo $verdict, "\n";
    exit($verdict === 'accepted' ? 0 : 1);
}
