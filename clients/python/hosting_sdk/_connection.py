from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from ._pages import NextCursor
from ._response import Response, read_body
from ._retries import decide_retry, retry_after_of
from ._token import credentials_of, request_headers, require_base_url
from .generated.values import BASE_PATH, VERSION

CHUNK_BYTES = 65_536
EVENT_LOG = "/events"


class ApiConnectionError(Exception):
    """
    Raised if there is no response: the host name is unknown, the connection was refused or broke, or the request timed
    out.
    """


class _EveryStatus(urllib.request.HTTPErrorProcessor):
    """Redirects are not followed: their target is not the API and must not receive the key."""

    def http_response(self, request: urllib.request.Request, response: Any) -> Any:
        return response

    https_response = http_response


class Connection:
    """Sends the requests of a client, and retries them. Threads may share it."""

    def __init__(
        self,
        base_url: str,
        token: str | None,
        *,
        headers: Mapping[str, str],
        timeout: float,
        retries: int,
        retry_wait_max: float,
    ) -> None:
        base = require_base_url(base_url)
        self._host = urlsplit(base).netloc
        self._service = base[: -len(BASE_PATH)] if base.endswith(BASE_PATH) else base
        self._base = self._service + BASE_PATH
        own = {"User-Agent": f"hosting-sdk-python/{VERSION}", **headers}
        self._headers = request_headers(token, own)
        self._timeout = timeout
        self._retries = retries
        self._retry_wait_max = retry_wait_max
        # The output for debugging of `http.client` contains the headers of requests.
        self._opener = urllib.request.build_opener(
            _EveryStatus,
            urllib.request.HTTPHandler(debuglevel=0),
            urllib.request.HTTPSHandler(debuglevel=0),
        )

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        is_retryable: bool = True,
    ) -> Any:
        """Return the body of the response. A write has the same Idempotency-Key at each attempt."""
        headers = {}
        if is_retryable and method != "GET":
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        retries = self._retries if is_retryable else 0
        attempt = 1
        while True:
            # A new one for each attempt: urllib changes a request that it sends through a proxy.
            request = self._request(method, path, query, body, headers)
            outcome = self._try_once(request)
            response = outcome if isinstance(outcome, Response) else None
            wait = decide_retry(
                response.status if response else None,
                retry_after_of(response.headers) if response else None,
                attempt=attempt,
                retries=retries,
                retry_wait_max=self._retry_wait_max,
            )
            if wait is None:
                if not isinstance(outcome, Response):
                    raise outcome
                return read_body(outcome, self._conceal)
            time.sleep(wait)
            attempt += 1

    def send_form(self, path: str, form: Mapping[str, str]) -> Any:
        """Send a form to a path of the service, outside the API, once. Return the body of the response."""
        request = urllib.request.Request(
            self._service + path,
            data=urlencode(form).encode(),
            headers={**self._headers, "Content-Type": "application/x-www-form-urlencoded"},
            method="POST",
        )
        outcome = self._try_once(request)
        if not isinstance(outcome, Response):
            raise outcome
        return read_body(outcome, self._conceal)

    def open_stream(self, path: str, query: Mapping[str, Any], silence_max: float) -> Any:
        """Start a response that is read while it arrives."""
        request = self._request("GET", path, query, None, {"Accept": "text/event-stream"})
        try:
            response = self._opener.open(request, timeout=silence_max)
            if response.status != 200:
                read_body(_to_response(response, response.read()), self._conceal)
            return response
        except (OSError, http.client.HTTPException) as cause:
            raise self._connection_error(cause) from cause

    def _request(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None,
        body: Mapping[str, Any] | None,
        headers: Mapping[str, str],
    ) -> urllib.request.Request:
        parameters = _page_parameters(path, query or {})
        search = urlencode({name: _to_text(value) for name, value in parameters.items()})
        request = urllib.request.Request(
            self._base + path + (f"?{search}" if search else ""),
            data=None if body is None else json.dumps(body).encode(),
            headers={**self._headers, **headers},
            method=method,
        )
        if body is not None:
            request.add_header("Content-Type", "application/json")
        return request

    def _try_once(self, request: urllib.request.Request) -> Response | ApiConnectionError:
        """Make one attempt. A missing response is a value."""
        ends_at = time.monotonic() + self._timeout
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                return _to_response(response, _read_until(response, ends_at))
        except (OSError, http.client.HTTPException) as cause:
            error = self._connection_error(cause)
            error.__cause__ = cause
            return error

    def _connection_error(self, cause: BaseException) -> ApiConnectionError:
        reason = cause.reason if isinstance(cause, urllib.error.URLError) else cause
        # In Python 3.9, socket.timeout is a class of its own.
        is_timeout = isinstance(reason, TimeoutError) or "timed out" in str(reason)
        what = "did not respond in time" if is_timeout else "could not be reached"
        return ApiConnectionError(f"{self._host} {what}.")

    def _conceal(self, text: str) -> str:
        """Remove the credential from a text: a gateway may repeat the request in its error page."""
        for secret in credentials_of(self._headers):
            text = text.replace(secret, "[token]")
        return text


def path_of(template: str, **values: str) -> str:
    """Fill in the parameters of a path."""
    return template.format(**{name: quote(value, safe="") for name, value in values.items()})


def _page_parameters(path: str, query: Mapping[str, Any]) -> Mapping[str, Any]:
    """The event log starts at a time or after a cursor. Other lists are filtered by `since` on every page."""
    if path != EVENT_LOG or not isinstance(query.get("cursor"), NextCursor):
        return query
    return {name: value for name, value in query.items() if name != "since"}


def _read_until(response: http.client.HTTPResponse, ends_at: float) -> bytes:
    """Read what has arrived, again and again: `read` would wait until a chunk is full, however long that takes."""
    chunks = []
    # None for a body without a length, which ends with an empty read.
    missing = response.length
    while missing != 0 and (chunk := response.read1(CHUNK_BYTES)):
        chunks.append(chunk)
        missing = None if missing is None else missing - len(chunk)
        if missing != 0 and time.monotonic() > ends_at:
            raise TimeoutError("timed out")
    if missing:
        raise http.client.IncompleteRead(b"".join(chunks), missing)
    return b"".join(chunks)


def _to_response(response: http.client.HTTPResponse, content: bytes) -> Response:
    headers = {name.lower(): value for name, value in response.getheaders()}
    return Response(response.status, headers, content.decode("utf-8", "replace"))


def _to_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
