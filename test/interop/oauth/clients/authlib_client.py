import json
import os

import requests
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session

url = os.environ["HOSTING_URL"]
client_id = os.environ["HOSTING_CLIENT"]
grant = "urn:ietf:params:oauth:grant-type:device_code"
session = OAuth2Session(client_id, token_endpoint_auth_method="none")


def start(**options):
    data = {"client_id": client_id, **options}
    codes = requests.post(f"{url}/oauth/device_authorization", data=data).json()
    print(json.dumps(codes), flush=True)
    input()
    return codes["device_code"]


def fetch(device_code):
    return session.fetch_token(f"{url}/oauth/token", grant_type=grant, device_code=device_code)


def error_of(device_code):
    try:
        fetch(device_code)
    except OAuthError as error:
        return error.error


def me(token):
    return requests.get(f"{url}/api/v1/auth/me", headers={"Authorization": f"Bearer {token}"})


token = fetch(start(scope="sites:read dns:read"))
before = me(token["access_token"])
session.revoke_token(f"{url}/oauth/revoke", token=token["access_token"])
after = me(token["access_token"])
found = {
    "statuses": [before.status_code, after.status_code],
    "name": before.json()["key"]["name"],
    "scope": token["scope"],
    "denied": error_of(start()),
    "expired": error_of(start()),
}
print(json.dumps(found))
