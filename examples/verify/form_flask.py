"""A form in Flask, with verify.py beside it. HV_URL and HV_SECRET come from the environment."""
import os
from urllib.parse import quote

from flask import Flask, request
from verify import verify

app = Flask(__name__)


@app.post("/sign-up")
def sign_up():
    verdict = verify(
        request.form.get("svc-response"),
        url=os.environ["HV_URL"],
        secret=os.environ["HV_SECRET"],
        action="sign-up",
        hostnames=["shop.example.com"],
    )
    if verdict != "accepted":
        app.logger.warning("sign-up refused: %s", verdict)
        return "We could not process your request. Please try again.", 422
    return "Welcome, " + quote(request.form.get("email", ""))
