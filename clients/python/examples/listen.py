import json
import os
import urllib.request

from hosting_sdk import Client, ListenEvent, ListenSecret

client = Client(os.environ["HCTL_URL"], os.environ["HCTL_TOKEN"])

for message in client.listen():
    if isinstance(message, ListenSecret):
        print(f"Events are signed with {message.secret}")
    elif isinstance(message, ListenEvent):
        request = urllib.request.Request(
            os.environ["HOOK_URL"], data=message.body.encode(), headers=message.headers
        )
        with urllib.request.urlopen(request) as response:
            print(json.loads(message.body)["type"], response.status)
    else:
        print(message.detail)
