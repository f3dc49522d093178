<?php
require 'verify.php';

if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    readfile('public/index.html');
    exit;
}
header('Content-Type: text/plain');
$token = $_POST['svc-response'] ?? null;
if (verify($token, getenv('HV_URL'), getenv('HV_SECRET'), 'sign-up', ['localhost']) !== 'accepted') {
    http_response_code(422);
    exit('We could not process your request. Please try again.');
}
echo "Welcome, {$_POST['email']}";
