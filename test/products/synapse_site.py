"""
Synapse, a Matrix server, with the captcha of its registration on, behind the nginx of its operator. The page /synapse begins a registration,
as a client of Matrix does, and leads to Synapse's own page for the captcha. Addresses and keys come from the environment.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from signedjson.key import generate_signing_key, write_signing_keys

origin, sitekey, secret = (os.environ[name] for name in ("HV_ORIGIN", "HV_SITEKEY", "HV_SECRET"))
folder = Path(tempfile.mkdtemp(prefix="hv-synapse-"))
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
synapse = f"http://127.0.0.1:{port}"

# JSON is YAML.
(folder / "homeserver.yaml").write_text(
    json.dumps(
        {
            "server_name": "localhost",
            "pid_file": f"{folder}/pid",
            "listeners": [
                {"type": "http", "port": port, "bind_addresses": ["127.0.0.1"], "resources": [{"names": ["client"]}]}
            ],
            "database": {"name": "sqlite3", "args": {"database": f"{folder}/homeserver.db"}},
            "media_store_path": f"{folder}/media",
            "signing_key_path": f"{folder}/signing.key",
            "trusted_key_servers": [],
            "report_stats": False,
            "macaroon_secret_key": "for this test only",
            "form_secret": "for this test only",
            "rc_registration": {"per_second": 100, "burst_count": 100},
            "enable_registration": True,
            "enable_registration_captcha": True,
            "recaptcha_public_key": sitekey,
            "recaptcha_private_key": secret,
            "recaptcha_siteverify_api": f"{origin}/recaptcha/api/siteverify",
        }
    )
)
with open(folder / "signing.key", "w") as file:
    write_signing_keys(file, [generate_signing_key("1")])


class Client(BaseHTTPRequestHandler):
    def do_GET(self):
        account = json.dumps({"username": "visitor", "password": "correct horse"}).encode()
        request = Request(f"{synapse}/_matrix/client/v3/register", account, {"Content-Type": "application/json"})
        try:
            urlopen(request)
        except HTTPError as unfinished:
            session = json.load(unfinished)["session"]
        self.send_response(302)
        self.send_header("Location", f"/_matrix/client/v3/auth/m.login.recaptcha/fallback/web?session={session}")
        self.end_headers()

    def log_message(self, *_args):
        pass


client = ThreadingHTTPServer(("127.0.0.1", 0), Client)
Thread(target=client.serve_forever, daemon=True).start()

# The address of the script is in a page that Synapse has no setting for.
(folder / "nginx.conf").write_text(
    f"""
daemon off;
pid {folder}/nginx.pid;
error_log stderr;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  server {{
    listen 127.0.0.1:{sys.argv[1]};
    location = /synapse {{ proxy_pass http://127.0.0.1:{client.server_port}; }}
    location / {{
      proxy_pass {synapse};
      proxy_set_header Accept-Encoding "";
      sub_filter https://www.recaptcha.net {origin};
    }}
  }}
}}
"""
)
subprocess.Popen(["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")])
sys.argv[1:] = ["--config-path", str(folder / "homeserver.yaml")]

from synapse.app.homeserver import main

main()
