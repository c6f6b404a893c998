from __future__ import annotations

import json
from collections.abc import Callable, Mapping
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


def read_body(response: Response, conceal: Callable[[str], str]) -> Any:
    """Return the parsed body of a successful response, None if it is empty. Raises ApiProblem for every other.

    conceal: removes the credential from the text of an error.
    """
    if not 200 <= response.status <= 299:
        raise to_problem(_shown(response, conceal))
    if response.text == "":
        return None
    body = parse_json(response.text)
    if body is INVALID:
        raise _unexpected(_shown(response, conceal), "with a body that is not JSON")
    if _lacks_secret(response, body):
        raise _secret_not_repeated(response, body)
    return body


def _shown(response: Response, conceal: Callable[[str], str]) -> Response:
    return Response(response.status, response.headers, conceal(response.text))


INVALID = object()


def parse_json(text: str) -> Any:
    """Return INVALID for a text that is not JSON: the error of `json` has the whole text, which may have a secret."""
    try:
        return json.loads(text)
    except ValueError:
        return INVALID


def to_problem(response: Response) -> ApiProblem:
    body = parse_json(response.text)
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
