from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any


class NotGiven(enum.Enum):
    """The type of `NOT_GIVEN`."""

    NOT_GIVEN = "NOT_GIVEN"

    def __repr__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN = NotGiven.NOT_GIVEN
"""The default of arguments that are left out of a request. None is sent as null."""


def given(values: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out the values that are not given."""
    return {name: value for name, value in values.items() if value is not NOT_GIVEN}
