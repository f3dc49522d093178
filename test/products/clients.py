"""Client libraries of PyPI: one question each, as their documentation shows it. Prints `accepted`, or what the library said."""

import os
import sys

library, secret, response = sys.argv[1:]


def django_recaptcha():
    from django.conf import settings

    settings.configure(RECAPTCHA_DOMAIN=os.environ["HV_ORIGIN"].removeprefix("https://"))
    from django_recaptcha.client import submit

    answer = submit(response, secret, "")
    return "accepted" if answer.is_valid else ",".join(answer.error_codes)


def pyturnstile():
    from pyturnstile import validate

    answer = validate(response, secret)
    return "accepted" if answer.success else ",".join(answer.error_codes)


def flask_hcaptcha():
    from flask import Flask
    from flask_hcaptcha import hCaptcha

    hCaptcha.VERIFY_URL = os.environ["HV_ORIGIN"] + "/siteverify"
    app = Flask(__name__)
    app.config.update(HCAPTCHA_SITE_KEY="sitekey", HCAPTCHA_SECRET_KEY=secret)
    captcha = hCaptcha(app)
    with app.test_request_context(method="POST"):
        return "accepted" if captcha.verify(response=response) else "refused"


libraries = {"django-recaptcha": django_recaptcha, "pyturnstile": pyturnstile, "flask-hcaptcha": flask_hcaptcha}
try:
    said = libraries[library]()
except Exception as error:
    said = f"threw: {error}"
print(said, end="")
