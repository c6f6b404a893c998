"""Makes the calls of the suite with a client that openapi-python-client has generated, in hosting_client."""

import json
import os

from hosting_client import AuthenticatedClient
from hosting_client.api.api_keys import api_keys_create, api_keys_list
from hosting_client.api.auth import auth_me
from hosting_client.api.webhook_deliveries import webhook_deliveries_list
from hosting_client.api.webhooks import webhooks_create, webhooks_get, webhooks_list, webhooks_update
from hosting_client.models import ApiKeysCreateBody, WebhooksCreateBody, WebhooksUpdateBody
from hosting_client.models.webhook_deliveries_list_status import WebhookDeliveriesListStatus


def client_of(variable):
    return AuthenticatedClient(
        base_url=os.environ[variable] + "/api/v1", token=os.environ["HOSTING_TOKEN"]
    )


client = client_of("HOSTING_URL")
later = client_of("HOSTING_LATER_URL")
url = os.environ["HOSTING_WEBHOOK_URL"]


def create():
    body = WebhooksCreateBody(url=url, events=["site.*"], description="first")
    return webhooks_create.sync_detailed(client=client, body=body, idempotency_key="a retry")


me = auth_me.sync(client=client)
created = create()
replayed = create()
webhooks_create.sync(client=client, body=WebhooksCreateBody(url=url, events=["*"]))
page = webhooks_list.sync(client=client, limit=1)
following = webhooks_list.sync(client=client, limit=1, cursor=page.next_cursor)
webhook_id = created.parsed.webhook.id
absent = webhooks_update.sync(webhook_id, client=client, body=WebhooksUpdateBody(enabled=False))
removed = webhooks_update.sync(webhook_id, client=client, body=WebhooksUpdateBody(description=None))
key = api_keys_create.sync(
    client=client, body=ApiKeysCreateBody(name="CI", scopes=["webhooks:read"])
)
dead = webhook_deliveries_list.sync(client=client, status=WebhookDeliveriesListStatus.DEAD)
bad = WebhooksCreateBody(url="ftp://example.com", events=["*"])
refused = webhooks_create.sync_detailed(client=client, body=bad)
later_keys = api_keys_list.sync(client=later)
later_webhook = webhooks_get.sync(webhook_id, client=later)
later_refused = webhooks_create.sync(client=later, body=bad)

print(
    json.dumps(
        {
            "accounts": me.accounts,
            "url": created.parsed.webhook.url,
            "disabled_reason": page.items[0].disabled_reason,
            "replayed": [
                replayed.parsed.webhook.id == webhook_id,
                replayed.parsed.secret,
                replayed.headers.get("Idempotency-Replayed"),
            ],
            "next": following.items[0].id == webhook_id,
            "absent": [absent.webhook.description, absent.webhook.enabled],
            "removed": removed.webhook.description,
            "key": key.key.name,
            "dead": len(dead.items),
            "problem": [
                int(refused.status_code),
                refused.parsed.code,
                refused.parsed.errors[0].pointer if refused.parsed.errors else None,
            ],
            "later": [
                later_keys.items[0].kind,
                later_webhook.webhook.health.state,
                later_refused.code,
            ],
        }
    )
)
