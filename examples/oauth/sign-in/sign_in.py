import os
import time

from authlib.integrations.requests_client import OAuth2Session, OAuthError

service = os.environ["HCTL_URL"]
session = OAuth2Session("my tool", token_endpoint_auth_method="none")
start = {"url": f"{service}/oauth/device_authorization", "data": {"client_id": "my tool"}}
codes = session.post(**start, withhold_token=True).json()
print(f"Open {codes['verification_uri']} and check that it shows {codes['user_code']}", flush=True)

grant = "urn:ietf:params:oauth:grant-type:device_code"
poll = {"grant_type": grant, "device_code": codes["device_code"]}
interval = codes["interval"]
while not session.token:
    time.sleep(interval)
    try:
        session.fetch_token(f"{service}/oauth/token", **poll)
    except OAuthError as error:
        if error.error not in ("authorization_pending", "slow_down"):
            raise
        interval += 5 if error.error == "slow_down" else 0
print(f"Signed in as {session.get(f'{service}/api/v1/auth/me').json()['user']['name']}")
