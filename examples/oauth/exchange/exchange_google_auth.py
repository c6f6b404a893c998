import os

from google.auth.identity_pool import Credentials
from google.auth.transport.requests import AuthorizedSession

service = os.environ["HCTL_URL"]
credentials = Credentials(
    audience=f"{service}/workloads/{os.environ['HCTL_KEY_ID']}",
    subject_token_type="urn:ietf:params:oauth:token-type:id_token",
    token_url=f"{service}/oauth/token",
    credential_source={"file": os.environ["ID_TOKEN_FILE"]},
)
# Exchanges the identity token, and again before the token expires.
session = AuthorizedSession(credentials)
print(session.get(f"{service}/api/v1/auth/me").text)
