"""Calls the service with each token of standard input, and prints everything that the errors show."""

import contextlib
import http.client
import io
import json
import pickle
import sys
import traceback

from hosting_sdk import Client, InvalidTokenError

# What a program sets to see what it sends.
http.client.HTTPConnection.debuglevel = 1
base_url = sys.argv[1]


def shown(error):
    texts = traceback.format_exception(type(error), error, error.__traceback__)
    while error is not None:
        texts += [str(error), repr(error), repr(error.args), repr(vars(error))]
        if isinstance(error, Exception):
            texts.append(repr(pickle.dumps(error.args)))
        error = error.__cause__ or error.__context__
    return "\n".join(texts)


def outcome_of(case):
    printed = io.StringIO()
    text, is_refused, kind = "", False, None
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            url = case.get("base_url", base_url)
            client = Client(url, case.get("token"), headers=case.get("headers"), retries=0)
            text = repr(client) + repr(client.auth)
            client.auth.me()
            for _ in client.listen():
                pass
        except Exception as error:
            text += shown(error)
            kind = type(error).__name__
            is_refused = isinstance(error, InvalidTokenError)
    return {"text": text + printed.getvalue(), "refused": is_refused, "kind": kind}


json.dump([outcome_of(case) for case in json.load(sys.stdin)], sys.stdout)
