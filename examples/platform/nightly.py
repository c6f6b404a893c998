import json
import sys

from internal_api import call, items

# {"tenants": [...], "accounts": [...], "users": [...]}: all records of the platform.
records = json.load(sys.stdin)


def is_same(record, stored):
    return all(
        sorted(value) == sorted(stored[name]) if isinstance(value, list) else value == stored[name]
        for name, value in record.items()
    )


for kind in ["tenants", "accounts", "users"]:
    stored = {record["id"]: record for record in items("/" + kind)}
    wanted = {record["id"]: record for record in records[kind]}
    changed = [r for r in wanted.values() if r["id"] not in stored or not is_same(r, stored[r["id"]])]
    for start in range(0, len(changed), 500):
        batch = call("PUT", "/directory", {kind: changed[start : start + 500]})
        for item in batch["items"]:
            print(item["type"], item["id"], item["status"])
    for surplus in stored.keys() - wanted.keys():
        print("surplus", kind, surplus, stored[surplus]["name"])
