<?php
// A form in Laravel, with verify.php beside it: a middleware with the action as its argument.
// `->middleware(RequireHuman::class . ':sign-up')` protects a route. HV_URL and HV_SECRET come from
// the environment; in an application with cached configuration read them by config().
declare(strict_types=1);

require_once __DIR__ . '/verify.php';

use Illuminate\Http\JsonResponse;
use Illuminate\Http\Request;
use Illuminate\Support\Facades\Log;
use Symfony\Component\HttpFoundation\Response;

final class RequireHuman
{
    public function handle(Request $request, Closure $next, string $action): Response
    {
        $verdict = verify(
            $request->post('svc-response'),
            (string) getenv('HV_URL'),
            (string) getenv('HV_SECRET'),
            $action,
            ['shop.example.com'],
        );
        if ($verdict === 'accepted') return $next($request);
        Log::warning("$action refused: $verdict");
        $sentence = 'We could not process your request. Please try again.';
        return new JsonResponse(['error' => $sentence], 422);
    }
}
