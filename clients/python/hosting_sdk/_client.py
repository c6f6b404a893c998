from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ._connection import Connection
from ._listen import ListenMessage, listen
from .generated.groups import Groups


class Client(Groups):
    """
    A typed client of the API. Every call returns the body of the response, None for a 204, and raises ApiProblem for
    every response that is not successful, ApiConnectionError if there is none. Threads may share a client.
    """

    def __init__(
        self,
        base_url: str,
        token: str | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        timeout: float = 30.0,
        retries: int = 3,
        retry_wait_max: float = 30.0,
    ) -> None:
        """Prepare the calls of an API.

        base_url: the URL of the service: `https://panel.example`, without a user name and password.
        token: an API key. White space around it is removed. Without one, only the device login can be called.
        headers: headers of every request, such as `User-Agent`.
        timeout: how long one attempt may take, in seconds.
        retries: the most retries of a request that is safe to retry.
        retry_wait_max: the longest `Retry-After` that is waited for, in seconds.

        Raises InvalidTokenError if the token cannot be sent.
        """
        self._connection = Connection(
            base_url,
            token,
            headers=headers or {},
            timeout=timeout,
            retries=retries,
            retry_wait_max=retry_wait_max,
        )
        super().__init__(self._connection)

    def oauth(self, path: str, form: Mapping[str, str]) -> Any:
        """
        Send a form to an OAuth endpoint and return the body of the response. `start_device_login`, `poll_device_login`,
        `exchange_token` and `revoke_token` use it.

        path: the path after `/oauth`, such as `/token`.
        """
        return self._connection.send_form(f"/oauth{path}", form)

    def listen(self, *, standard_webhooks: bool = False) -> Iterator[ListenMessage]:
        """
        Iterate over the organization's events as they are published, each with the headers and body that an endpoint
        would receive. Events published while nobody listens are not sent later.

        standard_webhooks: events also carry the headers of Standard Webhooks.
        """
        return listen(self._connection, standard_webhooks)
