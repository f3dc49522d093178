"""Verifies a response token by every rule of the specification; standard library only. Protocol: README.md beside this."""
import http.client
import json
import os
import re
import socket
import sys
import threading
import time
import uuid
from urllib.parse import urlencode, urlsplit
from urllib.request import getproxies, proxy_bypass

RULE_OF = {"timeout-or-duplicate": "fresh", "action-mismatch": "action", "low-score": "score"}


def verify(response, *, url, secret, action, hostnames, threshold=0.0, remoteip=None, timeout=3.0):
    """Returns "accepted" or the rule that failed. Refuses whatever is uncertain, and raises nothing."""
    address = urlsplit(url or "")
    if address.scheme not in ("http", "https") or not address.hostname:
        return "options"
    if not secret or not action or not hostnames or not all(hostnames):
        return "options"
    if not 0 <= threshold <= 1 or not 0 < timeout <= 60:
        return "options"
    if not isinstance(response, str) or not 0 < len(response) <= 2048:
        return "response"
    fields = {"secret": secret, "response": response, "action": action, "idempotency_key": str(uuid.uuid4())}
    if remoteip:
        fields["remoteip"] = remoteip
    ends = time.monotonic() + timeout
    # Once more when the answer was lost on the way: the key tells the service that it is the same question.
    for _ in range(2):
        left = ends - time.monotonic()
        if left <= 0:
            break
        try:
            status, body = ask(address, fields, left)
        except (OSError, http.client.HTTPException, ValueError):
            continue
        return judge(body, action, hostnames, threshold) if status == 200 else "status"
    return "transport"


def ask(address, fields, timeout):
    """A socket's own time-out starts again at every byte; the timer ends the whole exchange."""
    connection = connection_to(address, timeout)
    late = threading.Event()

    def give_up():
        # First of all: whoever reads is woken by the next lines, and must not take a broken answer for a whole one.
        late.set()
        if connection.sock:
            try:
                connection.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    timer = threading.Timer(timeout, give_up)
    timer.start()
    try:
        path = address.path.rstrip("/") + "/api/v1/siteverify"
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        connection.connect()
        if late.is_set():
            raise OSError("too late")
        connection.request("POST", path, urlencode(fields), headers)
        # Kept apart: a connection that is to be closed gives its socket away with the answer.
        sock, answer = connection.sock, connection.getresponse()
        connection.sock = sock
        body = answer.read(65537)
        # `length` is what is still to come: reading a number of bytes does not say so when the answer breaks off.
        if len(body) > 65536 or answer.length or late.is_set():
            raise OSError("too long, cut short, or too late")
        return answer.status, body
    finally:
        timer.cancel()
        connection.close()


def connection_to(address, timeout):
    """Through the proxy of HTTPS_PROXY or HTTP_PROXY, unless NO_PROXY names the service."""
    kind = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
    proxy = urlsplit(getproxies().get(address.scheme, ""))
    if not proxy.hostname or proxy_bypass(address.hostname):
        return kind(address.hostname, address.port, timeout=timeout)
    connection = kind(proxy.hostname, proxy.port, timeout=timeout)
    connection.set_tunnel(address.hostname, address.port)
    return connection


def judge(body, action, hostnames, threshold):
    """The rules in their order. `is True` and the types matter: in Python 1 == True, and True is a number."""
    try:
        answer = json.loads(body, parse_constant=not_json)
    except (ValueError, RecursionError):
        return "shape"
    if not isinstance(answer, dict):
        return "shape"
    codes = answer.get("error-codes")
    if answer.get("success") is not True:
        known = [code for code in codes if isinstance(code, str) and code in RULE_OF] if isinstance(codes, list) else []
        return RULE_OF[known[0]] if known else "success"
    if codes != []:
        return "error-codes"
    if answer.get("action") != action:
        return "action"
    hostname = answer.get("hostname")
    if not isinstance(hostname, str) or hostname.lower() not in [own.lower() for own in hostnames]:
        return "hostname"
    score, site_threshold = answer.get("score"), answer.get("score_threshold")
    if not is_share(score) or not is_share(site_threshold) or score < site_threshold or score < threshold:
        return "score"
    moment = answer.get("challenge_ts")
    if not isinstance(moment, str) or not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}", moment):
        return "shape"
    return "accepted"


def not_json(name):
    """Python reads NaN and Infinity, which JSON does not have."""
    raise ValueError(name)


def is_share(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1


def number(text, default):
    try:
        return float(text) if text else default
    except ValueError:
        return float("nan")


if __name__ == "__main__":
    env = os.environ.get
    verdict = verify(
        sys.stdin.read(),
        url=env("HV_URL"),
        secret=env("HV_SECRET"),
        action=env("HV_ACTION"),
        hostnames=[name for name in env("HV_HOSTNAMES", "").split(",") if name],
        threshold=number(env("HV_THRESHOLD"), 0.0),
        remoteip=env("HV_REMOTEIP"),
        timeout=number(env("HV_TIMEOUT"), 3.0),
    )
    print(verdict)
    sys.exit(0 if verdict == "accepted" else 1)
