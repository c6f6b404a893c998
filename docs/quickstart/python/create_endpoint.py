import os

from hosting_sdk import Client

client = Client(os.environ["HCTL_URL"], os.environ["HCTL_TOKEN"])
created = client.webhooks.create(url=os.environ["WEBHOOK_URL"], events=["*"])
print("WEBHOOK_ID=" + created["webhook"]["id"])
print("WEBHOOK_SECRET=" + created["secret"])  # It is returned only once.
