from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

# In characters. Longer ones do not fit into a request that the service accepts.
LENGTH_MAX = 16_000

# What is removed around a token: white space, and the byte order mark at the start of some files.
SURROUNDING = " \t\r\n\f\v\u0085\u00a0\u2028\u2029\ufeff"

# What people paste or store instead of a token, in the order in which it is looked for. The same as in the SDK for
# TypeScript.
MISTAKES = (
    (r"\A\Z", "it is empty"),
    (rf"(?s)\A.{{{LENGTH_MAX + 1},}}\Z", f"it is longer than {LENGTH_MAX} characters"),
    (r"\0", "it contains a null character"),
    ("[\r\n\u0085\u2028\u2029]", "it has more than one line"),
    ("\\A[\"'`\u2018-\u201f]|[\"'`\u2018-\u201f]\\Z", "it is in quotation marks"),
    (r"(?i)\Abearer\s", 'it begins with "Bearer"; pass only what follows'),
    (
        r"(?i)\A(export|set|setx)\s|\A\$?(env:)?[a-z_]\w*\s*=\s*[^=\s]",
        "it is an assignment; pass only its value",
    ),
    (r"\s", "it contains white space"),
    (r"[^!-~]", "it contains a character that is not printable ASCII, which may be invisible"),
)


class InvalidTokenError(ValueError):
    """Raised for a token that cannot be sent. The message names the problem, and never contains the token."""


def require_token(text: str) -> str:
    """Return a token without the white space around it, such as the line break at the end of a file."""
    if not isinstance(text, str):
        raise InvalidTokenError("The token is not valid: it is not a str.")
    token = text.strip(SURROUNDING)
    for pattern, problem in MISTAKES:
        if re.search(pattern, token):
            raise InvalidTokenError(f"The token is not valid: {problem}.")
    return token


def request_headers(token: str | None, headers: Mapping[str, str]) -> dict[str, str]:
    """Build the headers of every request. `http.client` would repeat the value of an invalid header in its error."""
    for name, value in headers.items():
        if not re.fullmatch(r"[!#$%&'*+.^`|~\w-]+", name, re.ASCII):
            raise ValueError("The name of a header is not valid.")
        if not re.fullmatch("[\t -~\x80-\xff]*", value):
            raise ValueError(f"The header {name} is not valid.")
    own = {} if token is None else {"Authorization": f"Bearer {require_token(token)}"}
    return {**headers, **own}


def credentials_of(headers: Mapping[str, str]) -> list[str]:
    """Return the secrets among the headers."""
    values = [value for name, value in headers.items() if name.lower().endswith("authorization")]
    return [value.split(" ")[-1] for value in values if value]


def require_base_url(base_url: str) -> str:
    """Return the URL of a service. No message contains it: a password in it would get into logs."""
    try:
        parts = urlsplit(base_url)
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        parts, is_valid = None, False
    if parts is None or not is_valid or re.search(r"[\s\0-\x1f\x7f]", base_url):
        raise ValueError("base_url is not an HTTP URL.")
    if "@" in parts.netloc:
        raise ValueError("base_url contains a user name or password, which the service does not take.")
    return base_url.rstrip("/")
