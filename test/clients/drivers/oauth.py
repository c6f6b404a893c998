"""Signs in, exchanges tokens and revokes keys with the Python client, and prints each token or error. Waits take no time."""

import json
import sys
import time

from hosting_sdk import (
    ApiConnectionError,
    ApiProblem,
    Client,
    DeviceLoginError,
    exchange_token,
    poll_device_login,
    revoke_token,
    start_device_login,
)

url, *names = sys.argv[1:]
client = Client(url)
time.sleep = lambda _: None


def sign_in():
    return poll_device_login(client, start_device_login(client, "my tool"))["token"]


def exchange():
    return exchange_token(client, "id.to.ken")["access_token"]


def revoke():
    return revoke_token(client, "hctl_old")


def run(name):
    try:
        return globals()[name]()
    except DeviceLoginError as error:
        return error.reason
    except ApiProblem as problem:
        return problem.code
    except ApiConnectionError:
        return "no response"


print("outcomes", json.dumps([run(name) for name in names]))
