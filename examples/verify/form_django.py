"""A form in Django, with verify.py beside it: a decorator for views. Put HV_URL and HV_SECRET into
your settings; `urlpatterns` shows how a view is protected."""
import functools
import logging
from urllib.parse import quote

from django.conf import settings
from django.http import HttpResponse
from django.urls import path
from django.views.decorators.http import require_POST
from verify import verify


def require_human(action):
    """Runs the view only for a visitor who was accepted for this action."""

    def protect(view):
        @functools.wraps(view)
        def protected(request, *args, **kwargs):
            verdict = verify(
                request.POST.get("svc-response"),
                url=settings.HV_URL,
                secret=settings.HV_SECRET,
                action=action,
                hostnames=["shop.example.com"],
            )
            if verdict == "accepted":
                return view(request, *args, **kwargs)
            logging.getLogger(__name__).warning("%s refused: %s", action, verdict)
            sentence = "We could not process your request. Please try again."
            return HttpResponse(sentence, status=422)

        return protected

    return protect


@require_POST
@require_human("sign-up")
def sign_up(request):
    return HttpResponse("Welcome, " + quote(request.POST.get("email", "")))


urlpatterns = [path("sign-up", sign_up)]
