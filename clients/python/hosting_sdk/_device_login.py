from __future__ import annotations

import time
from typing import TYPE_CHECKING, cast

from ._connection import ApiConnectionError
from ._oauth import try_oauth
from ._problem import ApiProblem
from ._retries import doubled_wait

if TYPE_CHECKING:
    from ._client import Client
    from .generated.types import AuthDeviceCodeResponse, AuthDeviceTokenResponse

    class StartedDeviceLogin(AuthDeviceCodeResponse, total=False):
        """A device login that was started."""

        client_id: str
        """The client that polls at the OAuth endpoint; missing if the service has none."""


# RFC 8628, section 3.5: what `slow_down` adds to the interval, for this and all later polls.
SLOW_DOWN_SECONDS = 5.0
# Delays the first poll slightly, so that clock differences do not make it too early.
FIRST_WAIT_FACTOR = 1.1
FAILURE_WAIT_SECONDS_MAX = 30.0
# RFC 8628, section 3.4.
DEVICE_CODE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
PENDING = ("authorization_pending", "slow_down")


class DeviceLoginError(Exception):
    """Raised if a device login ends without a key."""

    reason: str
    """`refused` or `expired`."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


def start_device_login(client: Client, client_name: str) -> StartedDeviceLogin:
    """Start a device login (RFC 8628). Show the person the code and the URL, then call `poll_device_login`.

    client_name: the name of the program, which the person sees: 1 to 64 characters.
    Raises ApiProblem, with the code `invalid_request` for another name.
    """

    def standard() -> StartedDeviceLogin:
        code = client.oauth("/device_authorization", {"client_id": client_name})
        return cast("StartedDeviceLogin", {**code, "client_id": client_name})

    def own() -> StartedDeviceLogin:
        return cast("StartedDeviceLogin", client.auth.device.code(client_name=client_name))

    return try_oauth(standard, own)


def poll_device_login(
    client: Client, code: StartedDeviceLogin | AuthDeviceCodeResponse
) -> AuthDeviceTokenResponse:
    """Poll a device login until the user has decided.

    code: the result of `start_device_login`, or the response of `client.auth.device.code`.
    Raises DeviceLoginError if the login was refused or the code expired.
    """
    interval = float(code["interval"])
    expires_at = time.time() + code["expires_in"]
    wait = interval * FIRST_WAIT_FACTOR
    failures = 0
    while True:
        # The last poll is sent when the code expires, not later.
        left = expires_at - time.time()
        if left <= 0:
            raise DeviceLoginError("expired", "The code expired before the login was approved.")
        time.sleep(min(wait, left))
        try:
            return _redeem(client, code)
        except (ApiConnectionError, ApiProblem) as error:
            _raise_if_final(error)
            if isinstance(error, ApiProblem) and error.code in PENDING:
                interval += SLOW_DOWN_SECONDS if error.code == "slow_down" else 0
                failures = 0
                wait = interval
            else:
                failures += 1
                wait = _wait_after(error, interval, failures)


def _redeem(
    client: Client, code: StartedDeviceLogin | AuthDeviceCodeResponse
) -> AuthDeviceTokenResponse:
    device_code = code["device_code"]
    client_id = code.get("client_id")
    if not isinstance(client_id, str):
        return client.auth.device.token(device_code=device_code)
    form = {"grant_type": DEVICE_CODE_GRANT, "device_code": device_code, "client_id": client_id}

    def standard() -> AuthDeviceTokenResponse:
        login = client.oauth("/token", form)
        members = {name: login[name] for name in ("key", "tenant", "user")}
        return cast("AuthDeviceTokenResponse", {"token": login["access_token"], **members})

    return try_oauth(standard, lambda: client.auth.device.token(device_code=device_code))


def _raise_if_final(error: ApiConnectionError | ApiProblem) -> None:
    if isinstance(error, ApiConnectionError):
        return
    if error.code == "access_denied":
        raise DeviceLoginError("refused", error.detail) from error
    if error.code == "expired_token":
        raise DeviceLoginError("expired", error.detail) from error
    if not (error.code in PENDING or error.status == 429 or error.status >= 500):
        raise error


def _wait_after(error: Exception, interval: float, failures: int) -> float:
    """Wait as long as `Retry-After` says, but at least the interval."""
    seconds = error.retry_after_seconds if isinstance(error, ApiProblem) else None
    doubled = doubled_wait(interval, failures, FAILURE_WAIT_SECONDS_MAX)
    return max(interval, doubled if seconds is None else float(seconds))
