"""What the OpenAPI document cannot say, for the runs of schemathesis."""

from datetime import datetime, timedelta, timezone
from uuid import uuid4

import schemathesis


@schemathesis.hook
def before_call(ctx, case, kwargs):
    # An Idempotency-Key names one request.
    if case.headers and "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = str(uuid4())
    # A cursor is opaque: only those that a page gave are good.
    if case.query:
        case.query.pop("cursor", None)
    # A key expires in the future.
    if isinstance(case.body, dict) and is_past(case.body.get("expires_at")):
        del case.body["expires_at"]
    # Deliveries are recovered from the last 30 days.
    if case.path.endswith("/recover") and isinstance(case.body, dict) and "since" in case.body:
        case.body["since"] = (datetime.now(timezone.utc) - timedelta(days=1)).isoformat()
        case.body.pop("until", None)


def is_past(time):
    if not isinstance(time, str):
        return False
    try:
        return datetime.fromisoformat(time.upper()) <= datetime.now(timezone.utc)
    except (ValueError, TypeError):
        return True
