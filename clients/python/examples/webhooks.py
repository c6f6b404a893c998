import os

from hosting_sdk import Client

client = Client(os.environ["HCTL_URL"], os.environ["HCTL_TOKEN"])

created = client.webhooks.create(url="https://hooks.example.com/in", events=["site.*"])
print(f"Created {created['webhook']['id']} with a signing secret of {len(created['secret'])} characters")

for webhook in client.webhooks.list():
    print(webhook["url"], webhook["events"])
