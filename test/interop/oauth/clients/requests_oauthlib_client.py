import json
import os

import requests
from oauthlib.oauth2 import DeviceClient, OAuth2Error
from requests_oauthlib import OAuth2Session

url = os.environ["HOSTING_URL"]
client_id = os.environ["HOSTING_CLIENT"]


def start(**options):
    data = {"client_id": client_id, **options}
    codes = requests.post(f"{url}/oauth/device_authorization", data=data).json()
    print(json.dumps(codes), flush=True)
    input()
    return codes["device_code"]


def session():
    return OAuth2Session(client=DeviceClient(client_id))


def error_of(device_code):
    try:
        session().fetch_token(f"{url}/oauth/token", device_code=device_code)
    except OAuth2Error as error:
        return error.error


signed_in = session()
token = signed_in.fetch_token(
    f"{url}/oauth/token", device_code=start(scope="sites:read dns:read")
)
before = signed_in.get(f"{url}/api/v1/auth/me")
address, headers, body = signed_in._client.prepare_token_revocation_request(
    f"{url}/oauth/revoke", token["access_token"]
)
requests.post(address, headers=headers, data=body).raise_for_status()
after = signed_in.get(f"{url}/api/v1/auth/me")
found = {
    "statuses": [before.status_code, after.status_code],
    "name": before.json()["key"]["name"],
    "scope": " ".join(token["scope"]),
    "denied": error_of(start()),
    "expired": error_of(start()),
}
print(json.dumps(found))
