import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from hosting_sdk import verify_webhook

SECRET = os.environ["WEBHOOK_SECRET"]
BODY_BYTES_MAX = 1_048_576


class Receiver(BaseHTTPRequestHandler):
    timeout = 30  # Seconds without a byte of the request.

    def do_POST(self):
        self.send_response(self.receive())
        self.end_headers()
        self.close_connection = True

    def receive(self):
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit() and len(length) < 10):
            return 411
        if int(length) > BODY_BYTES_MAX:
            return 413
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            return 400  # The client broke off its request.
        if not verify_webhook(body, self.headers.get("Service-Signature", ""), [SECRET]):
            return 400
        event = json.loads(body)
        print(event["type"], event["id"], flush=True)  # Store the event here.
        return 204


server = ThreadingHTTPServer(("", int(os.environ.get("PORT", "3000"))), Receiver)
print("listening", flush=True)
server.serve_forever()
