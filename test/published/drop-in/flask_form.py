"""A form of Flask-WTF with its RecaptchaField, validated once per case; its answers as one line of JSON."""
import json
import sys

from flask import Flask
from flask_wtf import FlaskForm, RecaptchaField

question = json.loads(sys.argv[1])
app = Flask(__name__)
app.config.update(WTF_CSRF_ENABLED=False, RECAPTCHA_PUBLIC_KEY="public", RECAPTCHA_VERIFY_SERVER=question["url"])


class SignUp(FlaskForm):
    recaptcha = RecaptchaField()


outcomes = []
for case in question["cases"]:
    app.config["RECAPTCHA_PRIVATE_KEY"] = case["secret"]
    fields = {"g-recaptcha-response": case["response"]}
    with app.test_request_context("/", method="POST", data=fields, environ_base={"REMOTE_ADDR": "127.0.0.1"}):
        form = SignUp()
        try:
            outcomes.append({"accepted": form.validate(), "said": str(form.errors)})
        except OSError as error:
            outcomes.append({"accepted": False, "said": f"threw {error}"})
print(json.dumps(outcomes))
