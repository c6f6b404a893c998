"""What the OpenAPI document cannot say, for the runs of schemathesis."""

from datetime import datetime, timezone

import schemathesis


@schemathesis.hook
def filter_query(ctx, query):
    """A cursor is opaque: only those that a page gave are good."""
    return not query or "cursor" not in query


@schemathesis.hook
def filter_body(ctx, body):
    """A key expires in the future."""
    expires_at = body.get("expires_at") if isinstance(body, dict) else None
    if not isinstance(expires_at, str):
        return True
    try:
        return datetime.fromisoformat(expires_at) > datetime.now(timezone.utc)
    except (ValueError, TypeError):
        return True
