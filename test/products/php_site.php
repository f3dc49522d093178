<?php
/** The form of google/recaptcha's README. Addresses and keys come from the environment. */

require 'ReCaptcha/autoload.php';

['HV_ORIGIN' => $origin, 'HV_SITEKEY' => $sitekey, 'HV_SECRET' => $secret] = getenv();

if ($_SERVER['REQUEST_METHOD'] === 'GET') {
    echo '<!doctype html><title>Shop</title><script src="', $origin, '/recaptcha/api.js" async defer></script>',
        '<form method="post"><div class="g-recaptcha" data-sitekey="', $sitekey, '"></div><button>Send</button></form>';
    return;
}
$post = new ReCaptcha\RequestMethod\Post($origin . '/recaptcha/api/siteverify');
$recaptcha = new ReCaptcha\ReCaptcha($secret, $post);
$answer = $recaptcha->setExpectedHostname('localhost')->verify($_POST['g-recaptcha-response'] ?? '', null);
http_response_code($answer->isSuccess() ? 200 : 422);
echo $answer->isSuccess() ? 'accepted' : 'refused';
