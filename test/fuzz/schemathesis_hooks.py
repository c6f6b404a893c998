"""Sets the credentials of each call, and the rules that an OpenAPI document cannot state."""

import json
import os
from datetime import datetime, timedelta, timezone
from itertools import count
from urllib.parse import quote
from urllib.request import Request, urlopen
from uuid import uuid4

import schemathesis

with open(os.environ["SCHEMATHESIS_CALLERS"], encoding="utf-8") as file:
    settings = json.load(file)
# A key allows 600 requests per minute, so calls use several in turn.
callers = settings["callers"]
calls = count()
cursors = {}


@schemathesis.hook
def before_call(ctx, case, kwargs):
    operation = case.operation.definition.raw["operationId"]
    headers = callers[next(calls) % len(callers)]
    # These end their credential, or stream until it ends.
    if operation in settings["spending"]:
        spent = make_credential(operation)
        headers = spent["headers"]
        case.path_parameters.update(spent["path"])
    case.cookies.clear()
    for name in ("Authorization", "Cookie"):
        case.headers.pop(name, None)
    case.headers.update(headers)
    # An Idempotency-Key identifies one request.
    if case.headers and "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = str(uuid4())
    # A cursor is opaque: only cursors of a page are valid.
    if case.query and "cursor" in case.query:
        use_cursor(case, headers)
    # The event log starts from a cursor or a time, and filters by patterns.
    if operation == "events.list" and case.query:
        if "cursor" in case.query:
            case.query.pop("since", None)
        if "types" in case.query:
            case.query["types"] = "*"
    # These need a span of some length, within the days that are kept.
    if operation.endswith((".histogram", ".completeness", ".uses")) and case.query:
        case.query.pop("until", None)
        if "since" in case.query:
            case.query["since"] = a_day_ago()
        if "types" in case.query:
            case.query["types"] = "*"
    # A cursor of hours does not continue a list of days.
    if operation.endswith(".uses") and case.query and "cursor" in case.query:
        case.query.pop("by", None)
    # A span of time must not end before it starts.
    if case.query and "since" in case.query and "until" in case.query:
        span = sorted([case.query["since"], case.query["until"]], key=moment)
        case.query["since"], case.query["until"] = span
    if not isinstance(case.body, dict):
        return
    # The unknown members of a browser's credential must not contain NUL characters.
    for name in ("passkey", "credential"):
        if name in case.body:
            case.body[name] = without_nul(case.body[name])
    # A key can be limited only to accounts of its user.
    if case.body.get("accounts"):
        case.body["accounts"] = settings["accounts"]
    # A key must expire in the future.
    if is_past(case.body.get("expires_at")):
        del case.body["expires_at"]
    # Only organization keys can be workload keys. Issuers are URLs, and `*` is only allowed at an end.
    if operation == "api-keys.create" and "workload" in case.body:
        case.body["kind"] = "organization"
        case.body["workload"]["issuer"] = "https://issuer.example.com"
        case.body["workload"]["conditions"] = {"sub": "job:1"}
    # Only organization keys have an external id, and the keys of the run are mostly personal.
    if operation == "api-keys.create" and case.body.get("external_id") is not None:
        case.body["kind"] = "organization"
    if operation == "api-keys.update" and case.body.get("external_id") is not None:
        del case.body["external_id"]
        case.body.setdefault("name", "CI")
    # Only workload keys have these settings, and a key of the run is rarely one.
    if operation == "api-keys.update" and case.body.pop("workload", None) is not None:
        case.body.setdefault("name", "CI")
    # An endpoint with custom headers only moves to another host together with all of its headers.
    if operation == "webhooks.update" and "url" in case.body:
        case.body.setdefault("headers", None)
    # Only deliveries of the last 30 days can be recovered.
    if case.path.endswith("/recover") and "since" in case.body:
        case.body["since"] = a_day_ago()
        case.body.pop("until", None)
    # Only what exists can be replayed, and data must be those of the type.
    if operation == "webhooks.replay":
        case.body = {"status": "dead"}
    if operation == "webhooks.trigger":
        case.body.pop("data", None)
    # Common passwords are refused.
    if "new_password" in case.body:
        case.body["new_password"] += str(uuid4())
        case.body["new_password"] = case.body["new_password"][-256:]


def a_day_ago():
    return (datetime.now(timezone.utc) - timedelta(days=1)).isoformat()


def make_credential(operation):
    with urlopen(f"{settings['maker']}/{operation}", timeout=10) as response:
        return json.load(response)


def use_cursor(case, headers):
    path = case.path
    for name, value in case.path_parameters.items():
        path = path.replace("{" + name + "}", quote(str(value), safe=""))
    if path not in cursors:
        request = Request(f"{settings['base']}{path}?limit=1", headers=headers)
        try:
            with urlopen(request, timeout=10) as response:
                cursors[path] = json.load(response)["next_cursor"]
        except OSError:
            cursors[path] = None
    case.query["cursor"] = cursors[path]
    if cursors[path] is None:
        del case.query["cursor"]


def without_nul(value):
    if isinstance(value, str):
        return value.replace("\0", "")
    if isinstance(value, list):
        return [without_nul(item) for item in value]
    if isinstance(value, dict):
        return {without_nul(name): without_nul(item) for name, item in value.items()}
    return value


def is_past(time):
    if not isinstance(time, str):
        return False
    try:
        return moment(time) <= datetime.now(timezone.utc)
    except (ValueError, TypeError):
        return True


def moment(time):
    return datetime.fromisoformat(time.upper())
