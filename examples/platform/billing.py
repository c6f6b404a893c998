import json
import sys

from internal_api import call, items

since, until = sys.argv[1:]  # The first and the last day of the month.
for tenant in items("/tenants"):
    days = call("GET", f"/tenants/{tenant['id']}/usage?since={since}&until={until}")["items"]
    events = sum(day["events"] for day in days)
    requests = sum(day["requests"] for day in days)
    print(tenant["id"], json.dumps(tenant["name"], ensure_ascii=False), events, requests, sep=",")
