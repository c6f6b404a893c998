from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._connection import ApiConnectionError, Connection
from ._problem import ApiProblem
from ._retries import doubled_wait

if TYPE_CHECKING:
    from .generated.types import Event

# Between requests at the end of the log.
POLL_SECONDS = 1.0
# Between requests while the service cannot be reached.
FAILURE_SECONDS_MAX = 30.0
# Separates the start of a page from the id of an event of the page.
SEPARATOR = "~"
# Begins the start of a first page, which has no cursor but a time, or nothing.
FIRST_PAGE = "@"


class EventFollower:
    """
    Iterates over the event log, and waits at its end for further events. Failures of the connection and of the service
    are waited out, so the iteration ends only with a problem that a further request would get too, such as a revoked
    key.
    """

    cursor: str | None
    """
    The place after the last event returned. Store it when the event is processed, and give it as `after` when the reader
    starts again. None before the first event.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        after: str | None,
        since: str | None,
        filters: Mapping[str, str],
    ) -> None:
        self.cursor = after
        self._connection = connection
        self._since = since or ""
        self._filters = filters

    def __iter__(self) -> Iterator[Event]:
        while True:
            page, skip_to = self._split_cursor()
            body = self._read_until_done(page)
            items: list[Event] = body["items"]
            ids = [event["id"] for event in items]
            seen = ids.index(skip_to) + 1 if skip_to in ids else 0
            for at, event in enumerate(items[seen:], start=seen + 1):
                is_last = at == len(items)
                self.cursor = body["next_cursor"] if is_last else page + SEPARATOR + event["id"]
                yield event
            self.cursor = body["next_cursor"]
            # An empty page with another cursor is not the end: no event that was examined matches the filters.
            if not items and self.cursor == page:
                time.sleep(POLL_SECONDS)

    def _split_cursor(self) -> tuple[str, str | None]:
        if self.cursor is None:
            return FIRST_PAGE + self._since, None
        page, _, skip_to = self.cursor.partition(SEPARATOR)
        return page, skip_to or None

    def _read_until_done(self, page: str) -> Any:
        query = {**_start_of(page), **self._filters}
        failures = 0
        while True:
            try:
                return self._connection.call("GET", "/events", query=query)
            except (ApiConnectionError, ApiProblem) as error:
                is_temporary = isinstance(error, ApiConnectionError) or (
                    error.status == 429 or error.status >= 500
                )
                if not is_temporary:
                    raise
                time.sleep(doubled_wait(POLL_SECONDS, failures, FAILURE_SECONDS_MAX))
                failures += 1


def _start_of(page: str) -> dict[str, str]:
    """The parameters of a page, by its start."""
    if not page.startswith(FIRST_PAGE):
        return {"cursor": page}
    return {} if page == FIRST_PAGE else {"since": page[len(FIRST_PAGE) :]}


class Followable:
    """The part of `client.events` that follows the event log."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def follow(
        self,
        *,
        after: str | None = None,
        since: str | None = None,
        types: Sequence[str] | None = None,
        account_id: str | None = None,
        object_id: str | None = None,
    ) -> EventFollower:
        """
        Follow the event log: return every event of the organization once, also those that were accepted while nobody
        followed. It waits for further events, and survives restarts of the service.

        after: continues after the `cursor` of a follower, or a `next_cursor` of `list`.
        since: without `after`, starts with the events created at or after this time. Default: the oldest of the log.
        types: only events that match one of these patterns.
        """
        filters = {"types": ",".join(types or []), "account_id": account_id, "object_id": object_id}
        present = {name: value for name, value in filters.items() if value}
        return EventFollower(self._connection, after=after, since=since, filters=present)
