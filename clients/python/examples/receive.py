import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from hosting_sdk import verify_webhook


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        # Your service may use another prefix than `Service`: see its page /docs/webhooks.
        signature = self.headers.get("Service-Signature", "")
        if verify_webhook(body, signature, [os.environ["WEBHOOK_SECRET"]]):
            event = json.loads(body)
            print(event["type"], event["data"], flush=True)
            self.send_response(204)
        else:
            self.send_response(400)
        self.end_headers()


ThreadingHTTPServer(("", int(os.environ["PORT"])), Receiver).serve_forever()
