"""Makes a pass with PyJWT (pip install "pyjwt[crypto]"): you vouch for one visitor, who then needs
no score.

    python pass.py pass-key.json hv_site_… sign-up shop.example.com
"""

import json
import secrets
import sys
import time

import jwt

key_file, sitekey, action, hostname = sys.argv[1:]

with open(key_file, encoding="utf-8") as file:
    key = json.load(file)
now = int(time.time())
claims = {
    "aud": sitekey,
    "action": action,
    "hostname": hostname,
    "jti": secrets.token_urlsafe(16),
    "iat": now,
    "exp": now + 1800,
}
headers = {"typ": "pass+jwt", "kid": key["kid"]}
print(jwt.encode(claims, jwt.PyJWK(key, "EdDSA").key, algorithm="EdDSA", headers=headers))
