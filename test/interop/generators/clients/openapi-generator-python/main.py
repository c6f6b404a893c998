"""Makes the calls of the suite with a client of openapi-generator's python, in hosting_client beside this file."""

import json
import os

from hosting_client import (
    ApiClient,
    ApiKeysApi,
    AuthApi,
    Configuration,
    WebhookDeliveriesApi,
    WebhooksApi,
)
from hosting_client.exceptions import UnprocessableEntityException
from hosting_client.models import ApiKeysCreateBody, WebhooksCreateBody, WebhooksUpdateBody


def client_of(variable):
    return ApiClient(
        Configuration(
            host=os.environ[variable] + "/api/v1", access_token=os.environ["HOSTING_TOKEN"]
        )
    )


client = client_of("HOSTING_URL")
later = client_of("HOSTING_LATER_URL")
webhooks = WebhooksApi(client)
url = os.environ["HOSTING_WEBHOOK_URL"]


def create():
    body = WebhooksCreateBody(url=url, events=["site.*"], description="first")
    return webhooks.webhooks_create_with_http_info(body, idempotency_key="a retry")


def refused_by(client):
    try:
        WebhooksApi(client).webhooks_create(
            WebhooksCreateBody(url="ftp://example.com", events=["*"])
        )
    except UnprocessableEntityException as error:
        return error
    raise AssertionError("The URL was not refused.")


me = AuthApi(client).auth_me()
created = create()
replayed = create()
webhooks.webhooks_create(WebhooksCreateBody(url=url, events=["*"]))
page = webhooks.webhooks_list(limit=1)
following = webhooks.webhooks_list(limit=1, cursor=page.next_cursor)
webhook_id = created.data.webhook.id
absent = webhooks.webhooks_update(webhook_id, WebhooksUpdateBody(enabled=False))
removed = webhooks.webhooks_update(webhook_id, WebhooksUpdateBody(description=None))
key = ApiKeysApi(client).api_keys_create(ApiKeysCreateBody(name="CI", scopes=["webhooks:read"]))
dead = WebhookDeliveriesApi(client).webhook_deliveries_list(status="dead")
refused = refused_by(client)
later_keys = ApiKeysApi(later).api_keys_list()
later_webhook = WebhooksApi(later).webhooks_get(webhook_id)
later_refused = refused_by(later)

print(
    json.dumps(
        {
            "accounts": me.accounts.actual_instance,
            "url": created.data.webhook.url,
            "disabled_reason": page.items[0].disabled_reason,
            "replayed": [
                replayed.data.webhook.id == webhook_id,
                replayed.data.secret,
                {name.lower(): value for name, value in replayed.headers.items()}.get(
                    "idempotency-replayed"
                ),
            ],
            "next": following.items[0].id == webhook_id,
            "absent": [absent.webhook.description, absent.webhook.enabled],
            "removed": removed.webhook.description,
            "key": key.key.name,
            "dead": len(dead.items),
            "problem": [refused.status, refused.data.code, refused.data.errors[0].pointer],
            "later": [
                later_keys.items[0].kind,
                later_webhook.webhook.health.state,
                later_refused.data.code,
            ],
        }
    )
)
