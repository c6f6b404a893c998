"""Prints what verify.py says of every vector, as JSON. Argument: the folder docs/webhooks."""

import json
import sys
from pathlib import Path

folder = Path(sys.argv[1])
sys.path.insert(0, str(folder))

from verify import verify_webhook  # noqa: E402

vectors = json.loads((folder / "../generated/webhook-vectors.json").read_text("utf-8"))
results = [
    verify_webhook(each["body"].encode(), each["header"], each["secrets"], each["now"])
    for each in vectors
]
print(json.dumps(results))
