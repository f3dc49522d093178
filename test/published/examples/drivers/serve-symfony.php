<?php
declare(strict_types=1);

require '/usr/share/php/Symfony/Component/HttpKernel/autoload.php';
require __DIR__ . '/form-symfony.php';

use Symfony\Component\EventDispatcher\EventDispatcher;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\RequestStack;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpKernel\Controller\ArgumentResolver;
use Symfony\Component\HttpKernel\Controller\ControllerResolver;
use Symfony\Component\HttpKernel\HttpKernel;

final class SignUp
{
    #[RequireHuman('sign-up')]
    public function submit(Request $request): Response
    {
        return new Response('Welcome, ' . rawurlencode((string) $request->request->get('email')));
    }
}

$dispatcher = new EventDispatcher();
$dispatcher->addSubscriber(new HumanSubscriber(getenv('HV_URL'), getenv('HV_SECRET')));
$request = Request::createFromGlobals();
$request->attributes->set('_controller', [SignUp::class, 'submit']);
$resolvers = [new ControllerResolver(), new RequestStack(), new ArgumentResolver()];
(new HttpKernel($dispatcher, ...$resolvers))->handle($request)->send();
