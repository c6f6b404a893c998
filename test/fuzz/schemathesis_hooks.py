"""What the OpenAPI document cannot say, for the runs of schemathesis."""

from datetime import datetime, timedelta, timezone
from uuid import uuid4

import schemathesis


@schemathesis.hook
def before_call(ctx, case, kwargs):
    # An Idempotency-Key identifies one request.
    if case.headers and "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = str(uuid4())
    # A cursor is opaque: only cursors of a page are valid.
    if case.query:
        case.query.pop("cursor", None)
    # A key must expire in the future.
    if isinstance(case.body, dict) and is_past(case.body.get("expires_at")):
        del case.body["expires_at"]
    # Only deliveries of the last 30 days can be recovered.
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
