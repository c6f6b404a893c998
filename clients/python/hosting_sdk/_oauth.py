from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from ._problem import ApiProblem

if TYPE_CHECKING:
    from ._client import Client
    from .generated.types import AuthTokenResponse

Result = TypeVar("Result")


def try_oauth(standard: Callable[[], Result], own: Callable[[], Result]) -> Result:
    """
    Call an OAuth endpoint. If it does not exist, call the operation of the API that does the same: every release of the
    service has it, and while a service is upgraded, processes of two releases respond at one address.
    """
    try:
        return standard()
    except ApiProblem as problem:
        if not _is_unserved(problem):
            raise
    return own()


def _is_unserved(problem: ApiProblem) -> bool:
    """
    Whether the OAuth endpoint did not process the request: it is unknown to the service, a gateway in front of the
    service does not pass it on, or it rejects the credential of that gateway (`invalid_client`).
    """
    is_from_elsewhere = problem.code == "unexpected_answer" and problem.status < 500
    return problem.status in (404, 405) or is_from_elsewhere or problem.code == "invalid_client"


def exchange_token(client: Client, identity_token: str) -> AuthTokenResponse:
    """Exchange an identity token of a CI job or a machine for a short-lived token of a workload key (RFC 8693).

    identity_token: a JWT whose audience is that of the key.
    Raises ApiProblem, with the code `invalid_grant` if the identity token is refused.
    """
    form = {
        "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
        "subject_token": identity_token,
        "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
    }

    def standard() -> AuthTokenResponse:
        token: AuthTokenResponse = client.oauth("/token", form)
        return token

    return try_oauth(standard, lambda: client.auth.token(**form))


def revoke_token(client: Client, token: str) -> None:
    """Revoke a key with its token (RFC 7009). Of a workload key, only the token ends. Unknown tokens are ignored.

    Raises ApiProblem, with the code `rate_limited` after too many revocations from this address.
    """

    def standard() -> None:
        client.oauth("/revoke", {"token": token})

    try_oauth(standard, lambda: client.auth.revoke(token=token))
