"""A form in FastAPI, with verify.py beside it. HV_URL and HV_SECRET come from the environment."""
import logging
import os
from typing import Annotated
from urllib.parse import quote

from fastapi import Depends, FastAPI, Form, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import PlainTextResponse
from verify import verify

app = FastAPI()


def require_human(action):
    """Makes a dependency. verify() waits for the network, so it runs beside the event loop."""

    async def human(request: Request):
        form = await request.form()
        verdict = await run_in_threadpool(
            verify,
            form.get("svc-response"),
            url=os.environ["HV_URL"],
            secret=os.environ["HV_SECRET"],
            action=action,
            hostnames=["shop.example.com"],
        )
        if verdict != "accepted":
            logging.getLogger(__name__).warning("%s refused: %s", action, verdict)
            raise HTTPException(422, "We could not process your request. Please try again.")

    return Depends(human)


@app.post("/sign-up", dependencies=[require_human("sign-up")])
def sign_up(email: Annotated[str, Form()] = ""):
    return PlainTextResponse("Welcome, " + quote(email))
