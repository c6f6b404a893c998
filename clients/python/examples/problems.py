import os
import sys

from hosting_sdk import ApiConnectionError, ApiProblem, Client

client = Client(os.environ["HCTL_URL"], os.environ["HCTL_TOKEN"])

try:
    client.webhooks.create(url="http://10.0.0.1/", events=["sites.*"])
except ApiProblem as problem:
    print(f"{problem.status} {problem.code}: {problem.detail} (request {problem.request_id})", file=sys.stderr)
    for error in problem.errors:
        print(f"  {error.pointer} {error.message}", file=sys.stderr)
except ApiConnectionError as error:
    print(error, file=sys.stderr)
