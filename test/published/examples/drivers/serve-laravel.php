<?php
declare(strict_types=1);

require '/usr/share/php/Illuminate/autoload.php';
require __DIR__ . '/form-laravel.php';

use Illuminate\Events\Dispatcher;
use Illuminate\Foundation\Application;
use Illuminate\Http\Request;
use Illuminate\Routing\Router;
use Illuminate\Support\Facades\Facade;
use Psr\Log\NullLogger;

$app = new Application(__DIR__);
$app->instance('log', new NullLogger());
Facade::setFacadeApplication($app);
$router = new Router(new Dispatcher($app), $app);
$router->post('/sign-up', static fn (Request $request): string =>
    'Welcome, ' . rawurlencode((string) $request->post('email')))
    ->middleware(RequireHuman::class . ':sign-up');
$request = Request::capture();
$app->instance('request', $request);
$router->dispatch($request)->send();
