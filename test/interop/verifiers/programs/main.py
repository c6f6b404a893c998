"""Prints what each verifier says of each delivery: null, or its error. Argument: a file with the deliveries."""

import json
import sys

from verifiers import VERIFIERS


def answer_of(verify, delivery):
    # As web frameworks give them.
    headers = {name.title(): value for name, value in delivery["headers"].items()}
    body = delivery["body"].encode()
    try:
        verify(body, headers["Service-Signature"], delivery["secret"], headers)
        return None
    except Exception as error:
        return str(error) or repr(error)


with open(sys.argv[1], encoding="utf-8") as file:
    deliveries = json.load(file)
print(json.dumps([[answer_of(verify, each) for each in deliveries] for verify in VERIFIERS]))
