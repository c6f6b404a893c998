import json
import os
import urllib.request


def call(method, path, body=None):
    """Calls the internal API and returns the body of the response; None for a 204."""
    request = urllib.request.Request(
        os.environ["INTERNAL_URL"] + "/internal/v1" + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Authorization": "Bearer " + os.environ["SERVICE_TOKEN"],
            "Content-Type": "application/json",
        },
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        text = response.read()
    return json.loads(text) if text else None


def items(path):
    """Iterates over a list, page by page."""
    cursor = ""
    while cursor is not None:
        page = call("GET", f"{path}?limit=1000&cursor={cursor}" if cursor else f"{path}?limit=1000")
        yield from page["items"]
        cursor = page["next_cursor"]
