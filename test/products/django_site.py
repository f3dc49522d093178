"""Forms of Django, each with the captcha field of another package, as its documentation shows it. Addresses and keys come from the environment."""
import os
import sys
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
from django.conf import settings

origin, sitekey, secret = (os.environ[name] for name in ("HV_ORIGIN", "HV_SITEKEY", "HV_SECRET"))
host = origin.removeprefix("https://")
settings.configure(
    DEBUG=False,
    ALLOWED_HOSTS=["localhost", "127.0.0.1"],
    SECRET_KEY="for-this-test-only",
    ROOT_URLCONF=__name__,
    INSTALLED_APPS=["django_recaptcha", "hcaptcha", "hcaptcha_field", "turnstile", "rest_framework", "drf_recaptcha"],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
    REST_FRAMEWORK={"UNAUTHENTICATED_USER": None, "DEFAULT_AUTHENTICATION_CLASSES": []},
    RECAPTCHA_DOMAIN=host,
    RECAPTCHA_PUBLIC_KEY=sitekey,
    RECAPTCHA_PRIVATE_KEY=secret,
    DRF_RECAPTCHA_DOMAIN=host,
    DRF_RECAPTCHA_SECRET_KEY=secret,
    HCAPTCHA_JS_API_URL=f"{origin}/1/api.js",
    HCAPTCHA_VERIFY_URL=f"{origin}/siteverify",
    HCAPTCHA_SITEKEY=sitekey,
    HCAPTCHA_SECRET=secret,
    TURNSTILE_JS_API_URL=f"{origin}/turnstile/v0/api.js",
    TURNSTILE_VERIFY_URL=f"{origin}/turnstile/v0/siteverify",
    TURNSTILE_SITEKEY=sitekey,
    TURNSTILE_SECRET=secret,
)
django.setup()

from django import forms
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.template import Context, Engine
from django.urls import path
from django_recaptcha.fields import ReCaptchaField
from drf_recaptcha.fields import ReCaptchaV3Field
from hcaptcha.fields import hCaptchaField
from hcaptcha_field import hCaptchaField as hCaptchaFieldField
from rest_framework import serializers
from rest_framework.response import Response
from rest_framework.views import APIView
from turnstile.fields import TurnstileField

PAGE = Engine().from_string(
    "<!doctype html><title>Shop</title><form method='post'>{{ form }}<button>Send</button></form>"
)


def view_of(captcha):
    """Returns the view of a form with this field: "accepted", or the form with its errors."""

    class SignUp(forms.Form):
        captcha_field = captcha

    def view(request):
        form = SignUp(request.POST or None)
        if request.method == "POST" and form.is_valid():
            return HttpResponse("accepted")
        return HttpResponse(PAGE.render(Context({"form": form})), status=422 if request.method == "POST" else 200)

    return view


class Contact(serializers.Serializer):
    # The field of v2 refuses an answer that has a score, and ours always has one. The service has judged it: 0.
    recaptcha = ReCaptchaV3Field(action="sign-up", required_score=0)


class ContactView(APIView):
    """A serializer has no page of its own: the form is what a customer writes."""

    def get(self, request):
        tag = f'<script src="{origin}/recaptcha/api.js" async defer></script>'
        widget = f'<div class="g-recaptcha" data-sitekey="{sitekey}" data-response-field-name="recaptcha"></div>'
        return HttpResponse(f"<!doctype html><title>Shop</title>{tag}<form method='post'>{widget}<button>Send</button></form>")

    def post(self, request):
        Contact(data=request.data, context={"request": request}).is_valid(raise_exception=True)
        return HttpResponse("accepted")


urlpatterns = [
    path("django-recaptcha", view_of(ReCaptchaField())),
    path("django-hcaptcha", view_of(hCaptchaField())),
    path("django-hcaptcha-field", view_of(hCaptchaFieldField())),
    path("django-turnstile", view_of(TurnstileField(remote_ip="127.0.0.1"))),
    path("drf-recaptcha", ContactView.as_view()),
]


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Quiet(WSGIRequestHandler):
    def log_message(self, *_args):
        pass


server = make_server("127.0.0.1", int(sys.argv[1]), get_wsgi_application(), Server, Quiet)
print("listening", flush=True)
server.serve_forever()
