import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from hosting_sdk import verify_webhook

SECRET = os.environ["WEBHOOK_SECRET"]


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        signature = self.headers.get("Service-Signature", "")
        if verify_webhook(body, signature, [SECRET]):
            event = json.loads(body)
            print(event["type"], event["id"], flush=True)  # Store the event here.
            self.send_response(204)
        else:
            self.send_response(400)
        self.end_headers()


server = ThreadingHTTPServer(("", int(os.environ.get("PORT", "3000"))), Receiver)
print("listening", flush=True)
server.serve_forever()
