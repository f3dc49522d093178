import os

from flask import Flask, request
from verify import verify

app = Flask(__name__, static_folder="public")


@app.get("/")
def page():
    return app.send_static_file("index.html")


@app.post("/sign-up")
def sign_up():
    token = request.form.get("svc-response")
    service, secret = os.environ["HV_URL"], os.environ["HV_SECRET"]
    if verify(token, url=service, secret=secret, action="sign-up", hostnames=["localhost"]) != "accepted":
        return "We could not process your request. Please try again.", 422
    return f"Welcome, {request.form['email']}", {"content-type": "text/plain"}
