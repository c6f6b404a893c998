import sys

from internal_api import call

path = f"/users/{sys.argv[1]}"  # The person.
user = call("GET", path)["user"]
# The tombstone keeps the name that the person has when it is deleted.
members = {"name": "Deleted user", "status": "deactivated", "roles": [], "accounts": []}
call("PUT", path, {"tenant_id": user["tenant_id"], "email": user["email"], **members})
call("DELETE", path)
