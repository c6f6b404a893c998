from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ._problem import ApiProblem, FieldError
from ._retries import retry_after_of
from .generated.values import ONE_TIME_MEMBERS

# How much of a body that is not JSON an error keeps.
TEXT_LENGTH_MAX = 1_000


@dataclass(frozen=True)
class Response:
    """A response whose body has been read. The names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    text: str


def read_body(response: Response) -> Any:
    """Return the parsed body of a successful response, None if it is empty. Raises ApiProblem for every other."""
    if not 200 <= response.status <= 299:
        raise to_problem(response)
    if response.text == "":
        return None
    try:
        body = json.loads(response.text)
    except ValueError:
        raise _unexpected(response, "with a body that is not JSON") from None
    if _lacks_secret(response, body):
        raise _secret_not_repeated(response, body)
    return body


def to_problem(response: Response) -> ApiProblem:
    try:
        body = json.loads(response.text)
    except ValueError:
        body = None
    is_problem = (
        isinstance(body, dict)
        and isinstance(body.get("code"), str)
        and isinstance(body.get("title"), str)
    )
    if not is_problem:
        return _unexpected(response, "without a problem document")
    return _problem(
        response,
        code=body["code"],
        title=body["title"],
        detail=body.get("detail", body["title"]),
        errors=[FieldError(each["pointer"], each["message"]) for each in body.get("errors", [])],
        body=body,
    )


def _problem(response: Response, **fields: Any) -> ApiProblem:
    return ApiProblem(
        status=response.status,
        request_id=response.headers.get("x-request-id"),
        retry_after_seconds=retry_after_of(response.headers),
        **fields,
    )


def _unexpected(response: Response, how: str) -> ApiProblem:
    return _problem(
        response,
        code="unexpected_answer",
        title="Unexpected response",
        detail=f"The server responded with {response.status} {how}. "
        "Check that the base URL is the URL of the API.",
        body=response.text[:TEXT_LENGTH_MAX],
    )


def _lacks_secret(response: Response, body: Any) -> bool:
    if response.headers.get("idempotency-replayed") != "true" or not isinstance(body, dict):
        return False
    return any(
        name in body and body[name] is None and not (name == "token" and _is_of_workload_key(body))
        for name in ONE_TIME_MEMBERS
    )


def _is_of_workload_key(body: Mapping[str, Any]) -> bool:
    """A workload key has no token of its own, so its `token` is None in the first response, too."""
    key = body.get("key")
    return isinstance(key, dict) and key.get("workload") is not None


def _secret_not_repeated(response: Response, body: Any) -> ApiProblem:
    return _problem(
        response,
        code="secret_not_repeated",
        title="Secret not repeated",
        detail="The request succeeded, but the first response, which contained the secret, was lost. "
        "The secret is not returned again. Rotate it, or create a new record.",
        body=body,
    )
