"""A typed client for the API of your hosting platform."""

from ._client import Client
from ._connection import ApiConnectionError
from ._device_login import DeviceLoginError, poll_device_login
from ._follow import EventFollower
from ._listen import ListenEnd, ListenEvent, ListenMessage, ListenSecret
from ._pages import Pages
from ._problem import ApiProblem, FieldError
from .generated.values import VERSION as __version__
from .generated.verify import verify_webhook

__all__ = [
    "ApiConnectionError",
    "ApiProblem",
    "Client",
    "DeviceLoginError",
    "EventFollower",
    "FieldError",
    "ListenEnd",
    "ListenEvent",
    "ListenMessage",
    "ListenSecret",
    "Pages",
    "__version__",
    "poll_device_login",
    "verify_webhook",
]
