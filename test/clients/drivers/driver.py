"""Runs the calls of standard input with the Python client, and prints their results."""

import itertools
import json
import sys

from hosting_sdk import ApiConnectionError, ApiProblem, Client, Pages, verify_webhook


def connect(options):
    limits = {"retry_wait_max": options["retryWaitMaxSeconds"]} if "retryWaitMaxSeconds" in options else {}
    return Client(options["url"], options["token"], **limits)


def fill(value, saved):
    if isinstance(value, str):
        for name in sorted(saved, key=len, reverse=True):
            value = value.replace("$" + name, saved[name])
        return value
    if isinstance(value, list):
        return [fill(each, saved) for each in value]
    if isinstance(value, dict):
        return {name: fill(each, saved) for name, each in value.items()}
    return value


def pick(value, path):
    for name in path.split("."):
        value = value[name]
    return value


def show(value, paths):
    return {path: pick(value, path) for path in paths}


def call(client, step):
    function = client
    for name in step["call"].split("."):
        function = getattr(function, name.replace("-", "_"))
    return function(**step.get("arguments", {}))


def run(step, clients, saved):
    if "verify" in step:
        given = step["verify"]
        return verify_webhook(given["body"].encode(), given["header"], given["secrets"])
    client = clients[step.get("client", "main")]
    if "follow" in step:
        options = dict(step["follow"])
        take = options.pop("take")
        return [show(each, step["show"]) for each in itertools.islice(client.events.follow(**options), take)]
    result = call(client, step)
    if isinstance(result, Pages):
        return [show(each, step["show"]) for each in result]
    for name, path in step.get("save", {}).items():
        saved[name] = pick(result, path)
    return None if result is None else show(result, step["show"])


def outcome(step, clients, saved):
    try:
        return run(step, clients, saved)
    except ApiProblem as problem:
        return {
            "problem": problem.code,
            "status": problem.status,
            "pointers": [error.pointer for error in problem.errors],
            "hasRequestId": problem.request_id is not None,
            **({"waits": True} if (problem.retry_after_seconds or 0) > 0 else {}),
        }
    except ApiConnectionError:
        return {"connectionError": True}


given = json.load(sys.stdin)
saved = given["variables"]
clients = {name: connect(fill(options, saved)) for name, options in given["clients"].items()}
results = [outcome(fill(step, saved), clients, saved) for step in given["steps"]]
json.dump({"results": results, "saved": saved}, sys.stdout)
