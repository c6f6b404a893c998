"""The records of the API, as the calls of the client return them."""

from .generated.types import *  # noqa: F403
from .generated.types import __all__ as __all__
