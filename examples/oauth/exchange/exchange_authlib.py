import os
from pathlib import Path

from authlib.integrations.requests_client import OAuth2Session

service = os.environ["HCTL_URL"]
session = OAuth2Session("my job", token_endpoint_auth_method="none")
session.fetch_token(
    f"{service}/oauth/token",
    grant_type="urn:ietf:params:oauth:grant-type:token-exchange",
    subject_token=Path(os.environ["ID_TOKEN_FILE"]).read_text(),
    subject_token_type="urn:ietf:params:oauth:token-type:id_token",
)
print(session.get(f"{service}/api/v1/auth/me").text)
