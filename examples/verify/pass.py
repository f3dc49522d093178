"""Makes a pass: you vouch for one visitor, who then needs no score. Standard library only. Protocol: README.md beside this."""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
import time


def make_pass(*, secret, action, hostname, minutes=30, now=None, jti=None):
    """Returns a pass, made offline. `now` and `jti` are for tests. Raises ValueError for what is missing or wrong."""
    if not secret:
        raise ValueError("secret")
    if not re.fullmatch(r"[A-Za-z0-9_\-/.]{1,64}", action or ""):
        raise ValueError("action")
    if not re.fullmatch(r"[A-Za-z0-9_.\-]{1,253}", hostname or ""):
        raise ValueError("hostname")
    if not 1 <= minutes <= 1440:
        raise ValueError("minutes")
    issued = int(time.time()) if now is None else now
    claims = {
        "act": action,
        "hst": hostname.lower(),
        "iat": issued,
        "exp": issued + minutes * 60,
        "jti": jti or base64url(os.urandom(16)),
    }
    signed = spelled({"alg": "HS256", "typ": "hv-pass+jwt"}) + "." + spelled(claims)
    return signed + "." + base64url(sha256_hmac(key_of(secret), signed.encode()))


def key_of(secret):
    """HKDF-SHA-256 (RFC 5869) of the secret's hash, without a salt: the service holds that hash."""
    prk = sha256_hmac(bytes(32), hashlib.sha256(secret.encode()).digest())
    return sha256_hmac(prk, b"human-verification/1/pass\x01")


def sha256_hmac(key, message):
    return hmac.new(key, message, hashlib.sha256).digest()


def spelled(value):
    return base64url(json.dumps(value, separators=(",", ":")).encode())


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


if __name__ == "__main__":
    env = os.environ.get
    try:
        made = make_pass(
            secret=env("HV_SECRET"),
            action=env("HV_ACTION"),
            hostname=env("HV_HOSTNAME"),
            minutes=int(env("HV_MINUTES") or 30),
            now=int(env("HV_NOW")) if env("HV_NOW") else None,
            jti=env("HV_ID"),
        )
    except ValueError:
        print("options")
        sys.exit(1)
    print(made)
