"""A typed client for the API of your hosting platform."""

from ._client import Client
from ._connection import ApiConnectionError
from ._device_login import DeviceLoginError, poll_device_login, start_device_login
from ._follow import EventFollower
from ._listen import ListenEnd, ListenEvent, ListenMessage, ListenSecret
from ._oauth import exchange_token, revoke_token
from ._pages import Pages
from ._problem import ApiProblem, FieldError
from ._token import InvalidTokenError
from .generated.values import VERSION as __version__
from .generated.verify import verify_webhook

__all__ = [
    "ApiConnectionError",
    "ApiProblem",
    "Client",
    "DeviceLoginError",
    "EventFollower",
    "FieldError",
    "InvalidTokenError",
    "ListenEnd",
    "ListenEvent",
    "ListenMessage",
    "ListenSecret",
    "Pages",
    "__version__",
    "exchange_token",
    "poll_device_login",
    "revoke_token",
    "start_device_login",
    "verify_webhook",
]
