"""Shows what ASGI programs read of a request: frameworks take the decoded path, and their file servers resolve its dots."""
import json
import posixpath
from urllib.parse import parse_qsl


async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    body, more = b"", True
    while more:
        event = await receive()
        body, more = body + event.get("body", b""), event.get("more_body", False)
    headers = [[name.decode("latin1"), value.decode("latin1")] for name, value in scope["headers"]]
    method = dict(headers).get("x-http-method-override", scope["method"])
    names = lambda text: [name for name, _ in parse_qsl(text.decode("latin1"), keep_blank_values=True)]
    form = "form" in dict(headers).get("content-type", "")
    path = scope["path"]
    sees = {
        # HAProxy passes a whole address on.
        "paths": [path, posixpath.normpath(path) if path.startswith("/") else path],
        "query": names(scope["query_string"]),
        "form": names(body) if form else [],
        "method": method,
        "headers": headers,
    }
    sent = json.dumps(sees).encode()
    head = [(b"content-type", b"application/json"), (b"content-length", str(len(sent)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    await send({"type": "http.response.body", "body": sent})
