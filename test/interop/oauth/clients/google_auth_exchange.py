import json
import os

import requests
from google.auth.exceptions import OAuthError
from google.auth.transport.requests import Request
from google.oauth2 import sts

url = os.environ["HOSTING_URL"]
request = Request()
client = sts.Client(f"{url}/oauth/token")


def exchange(identity_token):
    return client.exchange_token(
        request,
        grant_type="urn:ietf:params:oauth:grant-type:token-exchange",
        subject_token=identity_token,
        subject_token_type="urn:ietf:params:oauth:token-type:id_token",
    )


def me(token):
    return requests.get(f"{url}/api/v1/auth/me", headers={"Authorization": f"Bearer {token}"})


token = exchange(os.environ["IDENTITY_TOKEN"])
before = me(token["access_token"])
client.revoke_token(request, token["access_token"], "access_token", f"{url}/oauth/revoke")
after = me(token["access_token"])
try:
    exchange(os.environ["WRONG_TOKEN"])
    refused = None
except OAuthError as error:
    # "Error code invalid_grant: ..."
    refused = error.args[0].split()[2].rstrip(":")
found = {
    "statuses": [before.status_code, after.status_code],
    "name": before.json()["key"]["name"],
    "scope": token["scope"],
    "refused": refused,
}
print(json.dumps(found))
