from __future__ import annotations

import http.client
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Union

from ._connection import ApiConnectionError, Connection
from ._response import parse_json

# The server sends a comment every 15 s. After three missed ones the connection counts as broken.
SILENCE_SECONDS_MAX = 45.0
LINE_LENGTH_MAX = 4 * 2**20


@dataclass(frozen=True)
class ListenSecret:
    """The first message: the secret that signs the events of this stream."""

    secret: str


@dataclass(frozen=True)
class ListenEvent:
    """An event, with the headers and body that an endpoint would receive. Forward both unchanged."""

    headers: dict[str, str]
    body: str


@dataclass(frozen=True)
class ListenEnd:
    """The last message: why the service ends the stream."""

    code: str
    detail: str


ListenMessage = Union[ListenSecret, ListenEvent, ListenEnd]


def listen(connection: Connection, standard_webhooks: bool) -> Iterator[ListenMessage]:
    query = {"standard_webhooks": True} if standard_webhooks else {}
    with connection.open_stream("/webhooks/listen", query, SILENCE_SECONDS_MAX) as stream:
        for event, data in _read_messages(stream):
            fields = parse_json(data)
            if not isinstance(fields, dict):
                raise ApiConnectionError("The server sent a message that is not JSON.")
            message = _to_message(event, fields)
            if message is None:
                continue
            yield message
            if isinstance(message, ListenEnd):
                return


def _read_messages(stream: Any) -> Iterator[tuple[str, str]]:
    """Read Server-Sent Events (HTML standard, section 9.2.6): the fields `event` and `data`."""
    event = "message"
    data: list[str] = []
    while True:
        try:
            line = stream.readline(LINE_LENGTH_MAX).decode("utf-8", "replace")
        except (OSError, http.client.HTTPException) as cause:
            raise ApiConnectionError("The connection was lost.") from cause
        if not line.endswith("\n"):
            raise ApiConnectionError("The connection was closed.")
        field, _, value = line.rstrip("\r\n").partition(":")
        value = value[1:] if value.startswith(" ") else value
        if field == "event":
            event = value
        elif field == "data":
            data.append(value)
        elif line.strip() == "":
            if data:
                yield event, "\n".join(data)
            event, data = "message", []


def _to_message(event: str, fields: dict[str, Any]) -> ListenMessage | None:
    """Unknown messages are ignored, because later versions may send more."""
    if event == "end":
        return ListenEnd(str(fields.get("code")), str(fields.get("detail")))
    if isinstance(fields.get("secret"), str):
        return ListenSecret(fields["secret"])
    if isinstance(fields.get("body"), str) and isinstance(fields.get("headers"), dict):
        return ListenEvent(fields["headers"], fields["body"])
    return None
