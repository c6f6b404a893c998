"""Calls a server that fails for long with the Python client, and prints what came of it. Waits take no time."""

import itertools
import json
import sys
import time

from hosting_sdk import ApiConnectionError, Client, poll_device_login

url, what = sys.argv[1:]
began = time.monotonic()
waits = []


def follow():
    return next(iter(Client(url, "hctl_secret", retries=0).events.follow()))["id"]


def login():
    code = {"device_code": "code", "interval": 5, "expires_in": 100_000}
    return poll_device_login(Client(url, retries=0), code)["access_token"]


def retry():
    return Client(url, "hctl_secret", retries=10_000).webhooks.get("id")["webhook"]["id"]


def read_slowly():
    try:
        return Client(url, "hctl_secret", timeout=1.0, retries=0).webhooks.get("id")
    except ApiConnectionError as error:
        return str(error)


def read_late():
    """The clock shows that the time is over when the body is complete."""
    time.monotonic = itertools.count(0, 60).__next__
    return Client(url, "hctl_secret", retries=0).webhooks.get("id")["webhook"]["id"]


time.sleep = waits.append
result = globals()[what]()
seconds = 0 if what == "read_late" else time.monotonic() - began
json.dump({"result": result, "seconds": seconds, "waits": len(waits), "longest": max(waits, default=0)}, sys.stdout)
