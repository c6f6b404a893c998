from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")


class NextCursor(str):
    """A cursor that a page returned, unlike one that the caller gave."""


class Pages(Generic[Item]):
    """A list, whose pages are requested when they are needed. Each iteration starts at the first page."""

    def __init__(self, read: Callable[[Mapping[str, Any]], Any], query: Mapping[str, Any]) -> None:
        self._read = read
        self._query = query

    def __iter__(self) -> Iterator[Item]:
        """Iterate over the items of all pages."""
        for page in self.pages():
            yield from page

    def pages(self) -> Iterator[list[Item]]:
        """Iterate over the pages, each a list of items."""
        query = dict(self._query)
        while True:
            page = self._read(query)
            yield page["items"]
            next_cursor = page["next_cursor"]
            # The event log has no end: an empty page repeats the cursor.
            is_end = not page["items"] and next_cursor == query.get("cursor")
            if not next_cursor or is_end:
                return
            query["cursor"] = NextCursor(next_cursor)
