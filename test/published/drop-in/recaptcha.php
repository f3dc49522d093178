<?php
// google/recaptcha with another address, asked once per case; its answers as one line of JSON.
require 'ReCaptcha/autoload.php';

['url' => $url, 'options' => $options, 'cases' => $cases] = json_decode($argv[1], true) + ['options' => []];
$outcomes = [];
foreach ($cases as ['secret' => $secret, 'response' => $response]) {
    $recaptcha = new ReCaptcha\ReCaptcha($secret, new ReCaptcha\RequestMethod\Post($url));
    $recaptcha->setExpectedHostname($options['hostname'])->setExpectedAction($options['action'])->setScoreThreshold(0.5);
    $answer = @$recaptcha->verify($response);
    $outcomes[] = ['accepted' => $answer->isSuccess(), 'said' => json_encode($answer->toArray())];
}
echo json_encode($outcomes), "\n";
