from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class FieldError:
    """A field that the API rejected."""

    pointer: str
    """A JSON Pointer (RFC 6901) into the body or the query."""
    message: str


class ApiProblem(Exception):
    """Raised for every response that is not successful. Its text is the problem's `detail`."""

    code: str
    """
    The code of the problem document, or one of two codes of this client. `unexpected_answer`: the response is not
    from the API, such as a 502 with HTML, a redirect, or a 200 that is not JSON. `secret_not_repeated`: the request
    succeeded, but the first response was lost and its secret is not returned again; `body` has the record.
    """
    status: int
    """The HTTP status."""
    title: str
    """A short summary of the kind of problem."""
    detail: str
    """What went wrong in this case, as a sentence."""
    request_id: str | None
    """Identifies the request to the service's support."""
    errors: list[FieldError]
    """For a 422: every rejected field."""
    retry_after_seconds: int | None
    """How long to wait before the next request, if the response says so."""
    body: Any
    """The parsed body of the response; if it is not JSON, its first 1,000 characters."""

    def __init__(
        self,
        code: str,
        status: int,
        title: str,
        detail: str,
        *,
        request_id: str | None = None,
        errors: list[FieldError] | None = None,
        retry_after_seconds: int | None = None,
        body: Any = None,
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.status = status
        self.title = title
        self.detail = detail
        self.request_id = request_id
        self.errors = errors or []
        self.retry_after_seconds = retry_after_seconds
        self.body = body

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.args, self.__dict__)


def _rebuild(kind: type[ApiProblem], args: tuple[Any, ...], fields: dict[str, Any]) -> ApiProblem:
    """Restores a pickled problem, as `multiprocessing` and `concurrent.futures` do."""
    problem = kind.__new__(kind, *args)
    problem.args = args
    problem.__dict__.update(fields)
    return problem
