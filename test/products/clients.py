"""
A client library of PyPI, asked as its documentation shows it: a line of JSON for each question, and one for its answer, which is
`accepted`, or what the library said.
"""

import json
import os
import sys

origin = os.environ["HV_ORIGIN"]


def django_recaptcha(secret, response):
    from django.conf import settings

    if not settings.configured:
        settings.configure(RECAPTCHA_DOMAIN=origin.removeprefix("https://"))
    from django_recaptcha.client import submit

    answer = submit(response, secret, "")
    return "accepted" if answer.is_valid else ",".join(answer.error_codes)


def pyturnstile(secret, response):
    from pyturnstile import validate

    answer = validate(response, secret)
    return "accepted" if answer.success else ",".join(answer.error_codes)


def flask_hcaptcha(secret, response):
    from flask import Flask
    from flask_hcaptcha import hCaptcha

    hCaptcha.VERIFY_URL = origin + "/siteverify"
    app = Flask(__name__)
    app.config.update(HCAPTCHA_SITE_KEY="sitekey", HCAPTCHA_SECRET_KEY=secret)
    captcha = hCaptcha(app)
    with app.test_request_context(method="POST"):
        return "accepted" if captcha.verify(response=response) else "refused"


libraries = {"django-recaptcha": django_recaptcha, "pyturnstile": pyturnstile, "flask-hcaptcha": flask_hcaptcha}
ask = libraries[sys.argv[1]]
for line in sys.stdin:
    question = json.loads(line)
    try:
        said = ask(question["secret"], question["response"])
    except Exception as error:
        said = f"threw: {error}"
    print(json.dumps(said), flush=True)
