import json
import os

import requests
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session

url = os.environ["HOSTING_URL"]
session = OAuth2Session("ci", token_endpoint_auth_method="none")


def exchange(identity_token):
    return session.fetch_token(
        f"{url}/oauth/token",
        grant_type="urn:ietf:params:oauth:grant-type:token-exchange",
        subject_token=identity_token,
        subject_token_type="urn:ietf:params:oauth:token-type:id_token",
    )


def me(token):
    return requests.get(f"{url}/api/v1/auth/me", headers={"Authorization": f"Bearer {token}"})


token = exchange(os.environ["IDENTITY_TOKEN"])
before = me(token["access_token"])
session.revoke_token(f"{url}/oauth/revoke", token=token["access_token"])
after = me(token["access_token"])
try:
    exchange(os.environ["WRONG_TOKEN"])
    refused = None
except OAuthError as error:
    refused = error.error
found = {
    "statuses": [before.status_code, after.status_code],
    "name": before.json()["key"]["name"],
    "scope": token["scope"],
    "refused": refused,
}
print(json.dumps(found))
