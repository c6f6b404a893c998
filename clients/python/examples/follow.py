import os
from pathlib import Path

from hosting_sdk import Client

client = Client(os.environ["HCTL_URL"], os.environ["HCTL_TOKEN"])
position = Path("position.txt")
next_position = Path("position.next.txt")

follower = client.events.follow(
    after=position.read_text() if position.exists() else None,
    types=["site.*"],
)
for event in follower:
    print(event["type"], event["data"], flush=True)
    next_position.write_text(follower.cursor or "")
    next_position.replace(position)  # The program may be stopped at any time.
