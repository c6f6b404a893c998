import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from hosting_sdk import verify_webhook

BODY_BYTES_MAX = 1_048_576


class Receiver(BaseHTTPRequestHandler):
    timeout = 30  # Seconds without a byte of the request.

    def do_POST(self) -> None:
        self.send_response(self.receive())
        self.end_headers()
        self.close_connection = True

    def receive(self) -> int:
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit() and len(length) < 10):
            return 411
        if int(length) > BODY_BYTES_MAX:
            return 413
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            return 400  # The client broke off its request.
        # Your service may use another prefix than `Service`: see its page /docs/webhooks.
        signature = self.headers.get("Service-Signature", "")
        if not verify_webhook(body, signature, [os.environ["WEBHOOK_SECRET"]]):
            return 400
        event = json.loads(body)
        print(event["type"], event["data"], flush=True)
        return 204


ThreadingHTTPServer(("", int(os.environ["PORT"])), Receiver).serve_forever()
