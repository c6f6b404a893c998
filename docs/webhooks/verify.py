from __future__ import annotations

import hashlib
import hmac
import re
import time

TOLERANCE_SECONDS = 300


def verify_webhook(
    body: bytes, header: str, secrets: list[str], now: float | None = None
) -> bool:
    """Report whether a delivery is genuine.

    body: the raw body, as received.
    header: the value of Service-Signature, "" if there is none.
    secrets: usually one, with its whsec_; any of them may match.
    now: the receiver's clock in Unix seconds; time.time() by default.
    """
    fields = [item.partition("=") for item in header.split(",")]
    times = [value for name, _, value in fields if name == "t"]
    signatures = [value.encode() for name, _, value in fields if name == "v1"]
    if len(times) != 1 or not re.fullmatch("[0-9]{1,15}", times[0]):
        return False
    age = (time.time() if now is None else now) - int(times[0])
    if abs(age) > TOLERANCE_SECONDS:
        return False
    signed = times[0].encode() + b"." + body
    for secret in filter(None, secrets):  # an empty secret would be known to everybody
        expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest().encode()
        if any(hmac.compare_digest(expected, each) for each in signatures):
            return True
    return False
