import sys

from internal_api import call

tenant = f"/tenants/{sys.argv[1]}"  # The organization.
for endpoint in call("GET", tenant + "/webhooks")["items"]:
    print("enabled" if endpoint["enabled"] else "disabled", endpoint["url"])
for delivery in call("GET", tenant + "/webhook-deliveries?status=dead")["items"]:
    print("failed", delivery["event"]["type"], delivery["event"]["id"])
