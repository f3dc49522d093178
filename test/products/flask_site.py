"""Forms of Flask, each with the captcha of another package, as its documentation shows it. Addresses and keys come from the environment."""
import os
import sys

from flask import Flask, render_template_string, request
from flask_hcaptcha import hCaptcha
from flask_turnstile import Turnstile
from flask_wtf import FlaskForm, RecaptchaField

origin, sitekey, secret = (os.environ[name] for name in ("HV_ORIGIN", "HV_SITEKEY", "HV_SECRET"))
app = Flask(__name__)
app.config.update(
    WTF_CSRF_ENABLED=False,
    RECAPTCHA_SCRIPT=f"{origin}/recaptcha/api.js",
    RECAPTCHA_VERIFY_SERVER=f"{origin}/recaptcha/api/siteverify",
    RECAPTCHA_PUBLIC_KEY=sitekey,
    RECAPTCHA_PRIVATE_KEY=secret,
    HCAPTCHA_SITE_KEY=sitekey,
    HCAPTCHA_SECRET_KEY=secret,
    TURNSTILE_SITE_KEY=sitekey,
    TURNSTILE_SECRET_KEY=secret,
)
# These two have their vendor's addresses in their code: one line for the server's, and the page's tag by hand.
hCaptcha.VERIFY_URL = f"{origin}/siteverify"
Turnstile.VERIFY_URL = f"{origin}/turnstile/v0/siteverify"
hcaptcha, turnstile = hCaptcha(app), Turnstile(app)

FORM = "<!doctype html><title>Shop</title>{}<form method='post'>{}<button>Send</button></form>"


class SignUp(FlaskForm):
    recaptcha = RecaptchaField()


def answer(is_accepted):
    return "accepted" if is_accepted else ("refused", 422)


@app.route("/flask-wtf", methods=["GET", "POST"])
def flask_wtf():
    form = SignUp()
    if request.method == "POST":
        return answer(form.validate())
    return render_template_string(FORM.format("", "{{ form.recaptcha }}"), form=form)


@app.route("/flask-hcaptcha", methods=["GET", "POST"])
def flask_hcaptcha():
    if request.method == "POST":
        return answer(hcaptcha.verify())
    return FORM.format(f"<script src='{origin}/1/api.js' async defer></script>", f"<div class='h-captcha' data-sitekey='{sitekey}'></div>")


@app.route("/flask-turnstile", methods=["GET", "POST"])
def flask_turnstile():
    if request.method == "POST":
        return answer(turnstile.verify())
    tag = f"<script src='{origin}/turnstile/v0/api.js' async defer></script>"
    return FORM.format(tag, f"<div class='cf-turnstile' data-sitekey='{sitekey}'></div>")


app.run("127.0.0.1", int(sys.argv[1]), threaded=True)
