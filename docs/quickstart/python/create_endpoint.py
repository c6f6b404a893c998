import json
import os
import urllib.request

request = urllib.request.Request(
    os.environ["HCTL_URL"] + "/api/v1/webhooks",
    data=json.dumps({"url": os.environ["WEBHOOK_URL"], "events": ["*"]}).encode(),
    headers={
        "Authorization": "Bearer " + os.environ["HCTL_TOKEN"],
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as response:
    created = json.load(response)
print("WEBHOOK_ID=" + created["webhook"]["id"])
print("WEBHOOK_SECRET=" + created["secret"])  # It is returned only once.
