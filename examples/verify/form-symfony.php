<?php
// A form in Symfony, with verify.php beside it: a subscriber that guards every controller with the
// attribute #[RequireHuman('sign-up')]. Give it HV_URL and HV_SECRET as %env()% arguments.
declare(strict_types=1);

require_once __DIR__ . '/verify.php';

use Symfony\Component\EventDispatcher\EventSubscriberInterface;
use Symfony\Component\HttpFoundation\JsonResponse;
use Symfony\Component\HttpKernel\Event\ControllerEvent;
use Symfony\Component\HttpKernel\KernelEvents;

#[Attribute(Attribute::TARGET_METHOD)]
final class RequireHuman
{
    public function __construct(public readonly string $action)
    {
    }
}

final class HumanSubscriber implements EventSubscriberInterface
{
    public function __construct(private readonly string $url, private readonly string $secret)
    {
    }

    public static function getSubscribedEvents(): array
    {
        return [KernelEvents::CONTROLLER => 'protect'];
    }

    public function protect(ControllerEvent $event): void
    {
        $controller = $event->getController();
        $method = is_array($controller)
            ? new ReflectionMethod($controller[0], $controller[1])
            : new ReflectionMethod($controller, '__invoke');
        foreach ($method->getAttributes(RequireHuman::class) as $attribute) {
            $action = $attribute->newInstance()->action;
            // all(), since get() throws where the field is a list.
            $response = $event->getRequest()->request->all()['svc-response'] ?? null;
            $verdict = verify($response, $this->url, $this->secret, $action, ['shop.example.com']);
            if ($verdict === 'accepted') continue;
            error_log("$action refused: $verdict");
            $event->setController(static fn (): JsonResponse => new JsonResponse(
                ['error' => 'We could not process your request. Please try again.'],
                422,
            ));
            return;
        }
    }
}
