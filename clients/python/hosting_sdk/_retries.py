from __future__ import annotations

import email.utils
import math
import random
import re
import time
from collections.abc import Mapping

BACKOFF_FIRST_SECONDS = 0.5
BACKOFF_MAX_SECONDS = 8.0
# Spreads clients that were limited at the same time.
JITTER_SECONDS = 0.25
# More reach every maximum. A float cannot hold the power of a thousand failures.
DOUBLINGS_MAX = 30


def doubled_wait(first: float, doublings: int, longest: float) -> float:
    """Return the seconds to wait after failures, of which each doubles the wait."""
    wait: float = min(first * 2 ** min(doublings, DOUBLINGS_MAX), longest)
    return wait


def decide_retry(
    status: int | None,
    retry_after_seconds: int | None,
    *,
    attempt: int,
    retries: int,
    retry_wait_max: float,
) -> float | None:
    """Decide whether to retry a request.

    status: the HTTP status, None for no response.
    attempt: the number of the attempt; the first is 1.
    Returns the seconds to wait before the retry, None for no retry.
    """
    if attempt > retries:
        return None
    growing = doubled_wait(BACKOFF_FIRST_SECONDS, attempt - 1, BACKOFF_MAX_SECONDS)
    backoff = growing * (0.5 + random.random() / 2)
    if status is None or status in (502, 504):
        return backoff
    # 409 with Retry-After: the first attempt is still running (`idempotency_in_progress`).
    if status not in (429, 503) and (status != 409 or retry_after_seconds is None):
        return None
    if retry_after_seconds is None:
        return backoff
    if retry_after_seconds > retry_wait_max:
        return None
    return retry_after_seconds + random.random() * JITTER_SECONDS


def retry_after_of(headers: Mapping[str, str]) -> int | None:
    """`Retry-After` in seconds: a number, or the time until a date (RFC 9110, section 10.2.3)."""
    value = headers.get("retry-after", "").strip()
    if re.fullmatch("[0-9]+", value):
        return int(value)
    try:
        date = email.utils.parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    return max(0, math.ceil(date.timestamp() - time.time()))
