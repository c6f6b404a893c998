import os

from hosting_sdk import Client, DeviceLoginError, poll_device_login, start_device_login

client = Client(os.environ["HCTL_URL"])

code = start_device_login(client, "my tool")
print(f"Open {code['verification_uri']} and check that it shows {code['user_code']}")

try:
    login = poll_device_login(client, code)
    print(f"Signed in as {login['user']['name']} until {login['key']['expires_at']}")
except DeviceLoginError as error:
    print(error)
