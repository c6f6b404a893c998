# Made by `npm run generate` from the OpenAPI document. Edit tools/clients, not this file.
VERSION = "1.0.0"
BASE_PATH = "/api/v1"
# Members that the API returns once; in a response repeated for an Idempotency-Key they are null.
ONE_TIME_MEMBERS = ("token", "secret", "otpauth_uri", "recovery_codes", "csrf_token")
