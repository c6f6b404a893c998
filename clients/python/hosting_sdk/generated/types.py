# Made by `npm run generate` from the OpenAPI document. Edit tools/clients, not this file.
from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

class _ApiKey(TypedDict):
    id: str
    """The key id: 12 characters, the public part of the token."""
    name: str
    """The name of the key, for people."""
    kind: Literal["personal", "organization"]
    """`personal` acts as its user. `organization` acts as a service user of its own and outlives the people who created it."""
    source: Literal["panel", "api", "device", "workload"]
    """How the key was created: in the panel, by the API, by a device login, or, `workload`, as a workload key."""
    workload: Optional[Workload]
    """What a workload key exchanges for its tokens. Null for other keys."""
    scopes: List[str]
    """What the key may do: `<resource>:read`, `<resource>:write`, `*:read` or `*`. The roles of its user limit it further."""
    status: Literal["active", "disabled", "expired", "revoked"]
    """Only `active` keys are accepted. If several apply, the first of `revoked`, `expired` and `disabled`."""
    expires_at: Optional[str]
    """When the key expires. Null if it does not expire."""
    ip_allowlist: Optional[List[str]]
    """The IP addresses and CIDR ranges that may use the key. Null for all."""
    rate_limit_per_minute: int
    """The most requests in any 60 seconds."""
    enabled: bool
    """False if the key was disabled."""
    accounts: Optional[List[str]]
    """The ids of the accounts that the key is limited to; null if it is not limited."""
    external_id: Optional[str]
    """The id under which your own tools know it: letters, digits and `._:/-`. Unique in the organization. Null for none."""
    parent_key_id: Optional[str]
    """The id of the key that created it. Null if it was created with a session."""
    user: KeyUser
    """The user or service user that the key acts as."""
    created_by: Optional[KeyUser]
    """The user who created the key. Null if that user has been deleted."""
    created_at: str
    """When the key was created."""
    updated_at: str
    """When the key was last changed."""
    rotated_at: Optional[str]
    """When the key was last rotated. Null if it never was."""
    previous_secret_expires_at: Optional[str]
    """When the last of the old secrets ends. Null if only the current one is valid."""
    previous_secret_last_used_at: Optional[str]
    """When one of the old secrets that are still valid was last used, whatever the response. It may lag by up to 10 seconds. Null if none was used, or none is valid."""
    revoked_at: Optional[str]
    """When the key was revoked. Null if it is not revoked."""
    last_used_at: Optional[str]
    """When the key was last used, whatever the response. It may lag by up to 10 seconds. Null if it was never used."""
    last_used_ip: Optional[str]
    """The client address of the last use. Null if the key was never used."""
    requests_today: int
    """The number of requests today, in UTC, whatever the responses. It may lag by up to 10 seconds."""
    unused_scopes: Optional[List[str]]
    """The scopes that no request has needed in the last 30 days: if several scopes cover a request, it needs the narrowest. Null if the key is younger, or its requests were not counted for so long."""


class ApiKey(_ApiKey, total=False):
    ip_allowlist_wide: bool
    """True if the entries of the IP allowlist together admit more than a /8 (IPv4) or a /32 (IPv6). Otherwise left out."""


class ApiKeysCreateResponse(TypedDict):
    key: ApiKey
    """The key."""
    token: str
    """The full token, `<prefix>_<key id>_<secret>`. It is returned only once, so store it now. Null in a replayed response."""


class ApiKeysGetResponse(TypedDict):
    key: ApiKey
    """The key."""


class ApiKeysRotateResponse(TypedDict):
    key: ApiKey
    """The key."""
    token: str
    """The full token, `<prefix>_<key id>_<secret>`. It is returned only once, so store it now. Null in a replayed response."""


class ApiKeysScopesResponse(TypedDict):
    items: List[Scope]
    """All scopes."""


class ApiKeysUpdateResponse(TypedDict):
    key: ApiKey
    """The key."""


class ApiKeysUsageResponse(TypedDict):
    items: List[UsageDay]
    """The days, today first."""


class ApiKeysUsesItems(TypedDict):
    start: str
    """When the hour or day starts, in UTC."""
    operation: Optional[str]
    """The `operationId` of the operation, or `internal.authorize` for a request to another service that accepts the key. Null if no route served the requests."""
    status: Optional[int]
    """The status of the responses. Null in the rest of an hour if they differ."""
    address: Optional[str]
    """The client address: an IPv4 address or the /64 of an IPv6 address. Null in the rest of an hour."""
    secret: Optional[Literal["current", "previous"]]
    """`previous` if the requests sent a secret that a rotation had replaced. Null in the rest of an hour if they differ."""
    requests: int
    """The number of requests that have all of this in common."""


class Attempt(TypedDict):
    id: str
    """The id of the attempt."""
    number: int
    """The position of the attempt within its delivery: 1 is the first."""
    started_at: str
    """When the attempt started."""
    duration_ms: int
    """How long the attempt took, in ms."""
    status_code: Optional[int]
    """The HTTP status of the response, 100 to 599. Null if there was no valid response."""
    error_class: Optional[Literal["address_not_public", "dns_error", "connection_refused", "connection_reset", "connect_timeout", "timeout", "tls_error", "redirect", "http_error", "protocol_error", "internal_error"]]
    """Why the attempt failed. Null if it succeeded."""


class AuditActor(TypedDict):
    type: Literal["user", "service_user", "anonymous", "system"]
    """`anonymous`: the request proved no identity. `system`: the service or the platform itself."""
    id: Optional[str]
    """The id of the user. Null for `anonymous` and `system`."""
    name: Optional[str]
    """The name of the user at that time. Null for `anonymous` and `system`."""
    key_id: Optional[str]
    """The id of the key that was used. Null without a key."""


class AuditEvent(TypedDict):
    id: str
    """The id of the audit event."""
    occurred_at: str
    """When it happened."""
    action: str
    """What was done, for example `api_key.create` or `webhook.update`."""
    outcome: Literal["success", "refused"]
    """`success`: it was done. `refused`: a request was refused, and nothing changed."""
    reason: Optional[str]
    """The code of the problem of a refused request. Null for a success."""
    actor: AuditActor
    """Who did it."""
    target: AuditTarget
    """What it was done to."""
    ip: Optional[str]
    """The client address of the request. Null without a request."""
    request_id: Optional[str]
    """The `X-Request-Id` of the request. Null without a request."""
    details: Dict[str, Any]
    """What else is known, by action: for example which members changed. Never a secret."""


class AuditTarget(TypedDict):
    type: Optional[str]
    """The type of the record, for example `api_key`. Null without a target."""
    id: Optional[str]
    """The id of the record. Null without a target."""


class AuthDeviceCodeResponse(TypedDict):
    device_code: str
    """The secret with which the client polls. Do not show it to the person."""
    user_code: str
    """The short code that the person enters or compares, `XXXX-XXXX`."""
    verification_uri: str
    """The page of the panel on which the person enters the code."""
    verification_uri_complete: str
    """The same page with the code filled in, for a link."""
    expires_in: int
    """The lifetime of the codes, in seconds."""
    interval: int
    """The minimum time between two polls, in seconds."""


class AuthDeviceTokenResponse(TypedDict):
    token: str
    """The full token of the key. It is returned only once."""
    key: ApiKey
    """The new personal key."""
    tenant: DeviceTenant
    """The organization of the key."""
    user: Person
    """The person who approved, as whom the key acts."""


class AuthMeResponse(TypedDict):
    user: Person
    """The user whose rights the request has."""
    tenant: Tenant
    """The organization."""
    roles: List[str]
    """The roles of the user: `admin`, `support`, `reseller` or `customer`."""
    permissions: List[str]
    """The permissions of the roles. A key that is limited to accounts has fewer."""
    accounts: Union[Literal["all"], List[str]]
    """`"all"`, or the ids of the accounts that the caller can access. A key that is limited to accounts reaches those of them that its user can access."""
    key: Optional[ApiKey]
    """The key of the request. Null for a request with a session."""


class AuthTokenResponse(TypedDict):
    access_token: str
    """The token, in the format of API keys. It is returned only once."""
    token_type: str
    """`Bearer`."""
    expires_in: int
    """How long the token is valid, in seconds."""
    scope: str
    """The scopes of the key, separated by spaces."""
    issued_token_type: str
    """`urn:ietf:params:oauth:token-type:access_token`."""


class Delivery(TypedDict):
    id: str
    """The id of the delivery, which each attempt carries in the header `<prefix>-Delivery`."""
    webhook_id: str
    """The id of the endpoint."""
    event: DeliveryEvent
    """The event that is delivered."""
    status: Literal["queued", "in_flight", "waiting_retry", "waiting_endpoint", "succeeded", "dead"]
    """`queued`, `in_flight`, `waiting_retry` and `waiting_endpoint` (the endpoint is disabled) are unfinished. `succeeded` and `dead` are final."""
    attempt_count: int
    """The number of attempts so far."""
    next_attempt_at: Optional[str]
    """When the next attempt is due or expected to start. Null if none is scheduled: the delivery is finished, in flight, or its endpoint is disabled."""
    created_at: str
    """When the delivery was created."""
    completed_at: Optional[str]
    """When the delivery succeeded or became `dead`. Null while it is unfinished."""
    redelivery_of: Optional[str]
    """The id of the delivery that this one repeats. Null if it is no redelivery."""
    webhook: DeliveryWebhook
    """The endpoint in its current state."""
    last_attempt: Optional[Attempt]
    """The latest attempt that has finished. Null before the first."""


class DeliveryDetails(TypedDict):
    id: str
    """The id of the delivery, which each attempt carries in the header `<prefix>-Delivery`."""
    webhook_id: str
    """The id of the endpoint."""
    event: DeliveryEvent
    """The event that is delivered."""
    status: Literal["queued", "in_flight", "waiting_retry", "waiting_endpoint", "succeeded", "dead"]
    """`queued`, `in_flight`, `waiting_retry` and `waiting_endpoint` (the endpoint is disabled) are unfinished. `succeeded` and `dead` are final."""
    attempt_count: int
    """The number of attempts so far."""
    next_attempt_at: Optional[str]
    """When the next attempt is due or expected to start. Null if none is scheduled: the delivery is finished, in flight, or its endpoint is disabled."""
    created_at: str
    """When the delivery was created."""
    completed_at: Optional[str]
    """When the delivery succeeded or became `dead`. Null while it is unfinished."""
    redelivery_of: Optional[str]
    """The id of the delivery that this one repeats. Null if it is no redelivery."""
    webhook: DeliveryWebhook
    """The endpoint in its current state."""
    last_attempt: Optional[Attempt]
    """The latest attempt that has finished. Null before the first."""
    attempts: List[Attempt]
    """All attempts that have finished, in order."""
    payload: Event
    """The envelope, which is the body of every attempt."""


class DeliveryEvent(TypedDict):
    id: str
    """The id of the event. Receivers de-duplicate by it."""
    type: str
    """The type of the event, for example `site.created`."""
    created_at: str
    """When the event happened."""
    object_type: str
    """The kind of object that the event is about, for example `site`."""
    object_id: str
    """The id of the object that the event is about."""
    account_id: Optional[str]
    """The id of the account of the object. Null if it has none."""
    name: Optional[str]
    """The domain of the site, the name of the DNS zone or the host name of the server. Null for other events."""


class DeliveryWebhook(TypedDict):
    id: str
    """The id of the endpoint."""
    url: str
    """The URL of the endpoint."""
    description: Optional[str]
    """The description of the endpoint. Null if there is none."""
    deleted: bool
    """Whether the endpoint has been deleted since."""


class DeviceTenant(TypedDict):
    slug: str
    """The short name of the organization, which the platform chooses."""
    name: str
    """The name of the organization."""


class Event(TypedDict):
    id: str
    """The id of the event."""
    type: str
    """The type of the event."""
    created_at: str
    """When the event happened."""
    tenant_id: str
    """The id of the organization."""
    data: Dict[str, Any]
    """The data of the event, by the schema of its type."""


class EventDelivery(TypedDict):
    id: str
    """The id of the delivery."""
    webhook_id: str
    """The id of the endpoint."""
    status: Literal["queued", "in_flight", "waiting_retry", "waiting_endpoint", "succeeded", "dead"]
    """The status of the delivery."""


class EventType(TypedDict):
    type: str
    """The event type, for example `site.created`."""
    resource: str
    """The part of the type before the dot, for `<resource>.*`."""
    description: str
    """When the event is published."""
    deprecated: bool
    """Whether the type will be removed. Do not subscribe to it."""
    reserved: bool
    """Whether the type is not published yet. You can subscribe to it."""
    schema: Dict[str, Any]
    """The JSON Schema of `data`."""
    example: Optional[Dict[str, Any]]
    """An example of `data`. Null for reserved types."""


class EventsGetResponse(TypedDict):
    event: Event
    """The envelope, as it is delivered."""
    deliveries: List[EventDelivery]
    """The deliveries of the event, newest first; at most 1,000."""


class EventsHistogramItems(TypedDict):
    start: str
    """When the bucket starts."""
    events: int
    """The number of events."""


class EventsHistogramResponse(TypedDict):
    items: List[EventsHistogramItems]
    """The buckets, oldest first. They are equally long, and empty ones are included."""
    complete: bool
    """Whether everything was counted. False: only the newest records were, so the first buckets are too low or empty."""


class Health(TypedDict):
    state: Literal["unknown", "healthy", "failing"]
    """`failing` from 5 failed attempts in a row until a success. `unknown` until the first success since the endpoint was created or enabled."""
    failing_since: Optional[str]
    """When the first failed attempt of the current incident started. Null unless failing."""
    consecutive_failures: int
    """The number of failed attempts since the last success, or since the endpoint was enabled."""
    last_status_code: Optional[int]
    """The HTTP status of the last failed attempt. Null if there was no valid response, or no failure."""
    last_error_class: Optional[Literal["address_not_public", "dns_error", "connection_refused", "connection_reset", "connect_timeout", "timeout", "tls_error", "redirect", "http_error", "protocol_error", "internal_error"]]
    """Why the last failed attempt failed. Null if none has failed."""
    failure_rate: Optional[float]
    """Failed attempts divided by all attempts since the last incident was closed, in the last 24 hours at most: 0 to 1. Null if there was no attempt. From 0.05 on, a healthy endpoint is called unstable."""
    failure_rate_24h: Optional[float]
    """Failed attempts divided by all attempts of the last 24 hours, 0 to 1. Null if there was no attempt."""


class Incident(TypedDict):
    id: str
    """The id of the incident."""
    opened_at: str
    """When the first failed attempt of the incident started."""
    closed_at: Optional[str]
    """When the incident was closed. Null while it is open."""
    closed_by: Optional[Literal["success", "disabled", "deleted"]]
    """What closed the incident: a successful attempt, or disabling or deleting the endpoint. Null while it is open."""
    failed_attempts: int
    """The number of failed attempts, including the 5 that opened the incident."""
    last_status_code: Optional[int]
    """The HTTP status of the last failed attempt. Null if there was no valid response, or no failure."""
    last_error_class: Optional[Literal["address_not_public", "dns_error", "connection_refused", "connection_reset", "connect_timeout", "timeout", "tls_error", "redirect", "http_error", "protocol_error", "internal_error"]]
    """Why the last failed attempt failed. Null if none has failed."""


class KeyPolicy(TypedDict):
    max_lifetime_days: Optional[int]
    """The longest time from `created_at` to `expires_at`, in days. Null for no limit, so keys may have no expiry."""
    ip_allowlist_required: bool
    """Whether every key needs an IP allowlist."""
    personal_keys_allowed: bool
    """Whether keys of kind `personal` are allowed, including those of device logins."""


class KeyUser(TypedDict):
    id: str
    """The id of the user."""
    name: str
    """The name of the user."""


class _NewWorkload(TypedDict):
    issuer: str
    """The issuer of the identity tokens, whose OpenID Connect configuration is read."""
    conditions: Dict[str, Union[str, List[str]]]
    """The claims that the identity token must have: each with one string, or with up to 20. A name that begins with `/` is a JSON Pointer to a nested claim. A string may end in `*`, for any rest."""


class NewWorkload(_NewWorkload, total=False):
    token_lifetime_seconds: int
    """How long an exchanged token is valid, in seconds. Default: 900."""
    single_use: bool
    """Whether each identity token is exchanged once. If not, the processes of a machine can share one. Default: true for GitHub and GitLab, false for other issuers."""
    audience: str
    """The audience that the identity token must name. No other key of the issuer that is neither revoked nor expired may have it. It cannot be changed later. Default: a URL with the id of the key."""


class Person(TypedDict):
    id: str
    """The id of the user."""
    name: str
    """The name of the user."""
    email: Optional[str]
    """The email address of the user. Null for a service user."""
    kind: Literal["human", "service"]
    """`human` for a person, `service` for the user that an organization key acts as."""


class Recovery(TypedDict):
    id: str
    """The id of the recovery."""
    status: Literal["running", "done", "cancelled"]
    """`running` until everything was examined (`done`) or the recovery was cancelled."""
    total: int
    """The number of events found so far. Up to 10,000 are counted in advance."""
    done: int
    """The number of events that have been sent again."""


class RecoveryPreview(TypedDict):
    total: int
    """The number of deliveries that a recovery would redeliver."""


class Scope(TypedDict):
    scope: str
    """The scope, as keys have it."""
    resource: Optional[str]
    """The resource that the scope covers. Null if it covers every resource."""
    access: Optional[str]
    """`read` or `write`. Null for `*`, which covers both."""
    permissions: List[str]
    """The permissions that the scope covers."""


class SecurityPolicy(TypedDict):
    second_factor_required: bool
    """Whether people need a passkey or an authenticator app to use a session. Sign-ins by OpenID Connect or a link, and API keys, are not affected."""
    second_factor_from: Optional[str]
    """From when on a second factor is required, at most 30 days ahead. Null, or a time in the past, for now."""
    device_login: Literal["everyone", "admins", "off"]
    """Who may approve device logins: everyone whose role permits it, only people with the role `admin`, or nobody (`off`)."""
    device_login_same_network: bool
    """Whether a device login must be approved from the IPv4 /24 or IPv6 /48 that requested its code."""


class StatsBucket(TypedDict):
    start: str
    """When the bucket starts."""
    succeeded: int
    """The number of attempts that succeeded."""
    failed: int
    """The number of attempts that failed."""
    p50_ms: Optional[int]
    """The median duration of the attempts, in ms. Null without attempts."""
    p95_ms: Optional[int]
    """The duration that 95% of the attempts did not exceed, in ms. Null without attempts."""


class Tenant(TypedDict):
    id: str
    """The id of the organization."""
    slug: str
    """The short name of the organization, which the platform chooses."""
    name: str
    """The name of the organization."""


class TenantEditionResponse(TypedDict):
    edition: str
    """The name of the edition, for example `standard`."""
    features: List[str]
    """The names of the features."""
    limits: Dict[str, Any]
    """The limits by name. Each name ends with what is counted or with the unit. New limits may be added."""


class _TenantKeyPolicyResponse(TypedDict):
    policy: KeyPolicy
    """The key policy."""


class TenantKeyPolicyResponse(_TenantKeyPolicyResponse, total=False):
    warnings: List[TenantKeyPolicyWarnings]
    """What weakens the policy. `wide_ip_allowlist`: IP allowlists are required, and those of some keys admit more than a /8 (IPv4) or a /32 (IPv6); `GET /api-keys?wide_ip_allowlist=true` lists the keys. Left out if there is no warning."""


class TenantKeyPolicyWarnings(TypedDict):
    code: Literal["wide_ip_allowlist"]
    """What the warning is about."""
    keys: int
    """How many keys it is about."""
    message: str
    """The warning as a sentence."""


class TenantSecurityPolicyResponse(TypedDict):
    policy: SecurityPolicy
    """The security policy."""


class UsageDay(TypedDict):
    date: str
    """The day, in UTC."""
    requests: int
    """The number of requests with a valid secret, whatever the responses."""
    refused: int
    """The number of requests that got a 403."""
    rate_limited: int
    """The number of requests that got a 429."""


class Webhook(TypedDict):
    id: str
    """The id of the endpoint."""
    url: str
    """The URL that receives the events, as it was given."""
    events: List[str]
    """The patterns of the subscribed events: `*`, `<resource>.*` or an event type."""
    description: Optional[str]
    """The description that was given, for people. Null if there is none."""
    enabled: bool
    """Whether deliveries are sent. Deliveries to a disabled endpoint wait."""
    created_at: str
    """When the endpoint was created."""
    updated_at: str
    """When the endpoint was last changed."""
    disabled_at: Optional[str]
    """When the endpoint was disabled. Null while it is enabled."""
    secret_rotated_at: Optional[str]
    """When the signing secret was last rotated. Null if it never was."""
    previous_secret_expires_at: Optional[str]
    """When the last of the old signing secrets ends. Null if only the current one is valid."""
    last_success_at: Optional[str]
    """When an attempt last succeeded. Null if none has."""
    last_failure_at: Optional[str]
    """When an attempt last failed. Null if none has."""
    waiting_deliveries: int
    """The number of deliveries that are not finished. 10000 means 10000 or more."""
    disabled_reason: Optional[Literal["manual", "failing"]]
    """Why the endpoint is disabled: `manual` by a request, `failing` by `disable_after_failing_hours`. Null while enabled."""
    rate_limit_per_second: Optional[int]
    """The most attempts per second to the endpoint. Null if there is no limit."""
    disable_after_failing_hours: Optional[int]
    """After how many hours of an open incident the endpoint is disabled. Null for never."""
    header_names: List[str]
    """The names of the custom headers, in lower case, sorted. Values are not returned."""
    standard_webhooks: bool
    """Whether each attempt also carries the headers of Standard Webhooks."""
    external_id: Optional[str]
    """The id under which your own tools know it: letters, digits and `._:/-`. Unique in the organization. Null for none."""
    accounts: Optional[List[str]]
    """The ids of the accounts whose events are delivered. Null for all events, also those without an account."""
    health: Health
    """Whether the receiver accepts requests, counted over all attempts."""


class WebhookDeliveriesGetResponse(TypedDict):
    delivery: DeliveryDetails
    """The delivery."""


class WebhookDeliveriesHistogramItems(TypedDict):
    start: str
    """When the bucket starts."""
    succeeded: int
    """The number of deliveries that succeeded."""
    dead: int
    """The number of deliveries that are `dead`."""
    open: int
    """The number of deliveries that are unfinished."""


class WebhookDeliveriesHistogramResponse(TypedDict):
    items: List[WebhookDeliveriesHistogramItems]
    """The buckets, oldest first. They are equally long, and empty ones are included."""
    complete: bool
    """Whether everything was counted. False: only the newest records were, so the first buckets are too low or empty."""


class WebhookDeliveriesRedeliverResponse(TypedDict):
    delivery: DeliveryDetails
    """The delivery."""


class WebhookDeliveriesRetryNowResponse(TypedDict):
    delivery: DeliveryDetails
    """The delivery."""


class WebhooksCompletenessResponse(TypedDict):
    since: str
    """Since when events are counted."""
    events: int
    """The number of events."""
    delivered: int
    """Events of which a delivery succeeded."""
    waiting: int
    """Other events of which a delivery is unfinished."""
    dead: int
    """Events all of whose deliveries are `dead`. Recover them."""
    never_sent: int
    """Events without a delivery, from before the endpoint was created or subscribed to them. Recover them with `backfill`."""
    complete: bool
    """Whether all of the events have arrived."""


class WebhooksCreateResponse(TypedDict):
    webhook: Webhook
    """The endpoint."""
    secret: str
    """The signing secret, `whsec_…`. It is returned only once. Null in a replayed response."""


class WebhooksEventTypesResponse(TypedDict):
    items: List[EventType]
    """All event types."""


class WebhooksGetResponse(TypedDict):
    webhook: Webhook
    """The endpoint."""


class WebhooksIncidentIncident(TypedDict):
    id: str
    """The id of the incident."""
    opened_at: str
    """When the first failed attempt of the incident started."""
    closed_at: Optional[str]
    """When the incident was closed. Null while it is open."""
    closed_by: Optional[Literal["success", "disabled", "deleted"]]
    """What closed the incident: a successful attempt, or disabling or deleting the endpoint. Null while it is open."""
    failed_attempts: int
    """The number of failed attempts, including the 5 that opened the incident."""
    last_status_code: Optional[int]
    """The HTTP status of the last failed attempt. Null if there was no valid response, or no failure."""
    last_error_class: Optional[Literal["address_not_public", "dns_error", "connection_refused", "connection_reset", "connect_timeout", "timeout", "tls_error", "redirect", "http_error", "protocol_error", "internal_error"]]
    """Why the last failed attempt failed. Null if none has failed."""
    timeline: List[WebhooksIncidentIncidentTimeline]
    """What happened, oldest first, at most 100 spans. Successive attempts that failed in the same way are a span; of an incident with more of them, each of 100 equal parts is a span with its most frequent failure."""
    affected: Optional[int]
    """The number of events whose first attempt failed in the incident. Null if they were not counted in time."""
    delivered_since: Optional[int]
    """Those of them that have arrived since."""
    missing: Optional[int]
    """Those of them that have not arrived."""
    complete: bool
    """Whether all failed attempts were read. Of an incident with more than 20,000, `timeline` and the numbers of events are of the first ones; without enough time, `timeline` is empty and the numbers are null."""


class WebhooksIncidentIncidentTimeline(TypedDict):
    start: str
    """When the first attempt of the span started."""
    end: str
    """When the last attempt of the span ended."""
    error_class: Literal["address_not_public", "dns_error", "connection_refused", "connection_reset", "connect_timeout", "timeout", "tls_error", "redirect", "http_error", "protocol_error", "internal_error"]
    """Why its attempts failed."""
    status_code: Optional[int]
    """The HTTP status of its responses. Null if there was no valid response."""
    attempts: int
    """The number of its failed attempts."""


class WebhooksIncidentResponse(TypedDict):
    incident: WebhooksIncidentIncident
    """The incident."""


class WebhooksPingResponse(TypedDict):
    delivery: DeliveryDetails
    """The delivery."""


class WebhooksRecoverResponse(TypedDict):
    recovery: Recovery
    """The recovery."""


class WebhooksRecoveriesGetResponse(TypedDict):
    recovery: Recovery
    """The recovery."""


class WebhooksReplayResponse(TypedDict):
    deliveries: int
    """The number of events that are sent to each stream."""


class WebhooksRetryNowResponse(TypedDict):
    deliveries: int
    """The number of deliveries that were waiting for a retry and are due now. 10,000 means 10,000 or more."""


class WebhooksRotateSecretResponse(TypedDict):
    webhook: Webhook
    """The endpoint."""
    secret: str
    """The signing secret, `whsec_…`. It is returned only once. Null in a replayed response."""


class WebhooksStatsResponse(TypedDict):
    window: str
    """The time span of the request."""
    buckets: List[StatsBucket]
    """The buckets, oldest first. The last one is not over yet."""


class WebhooksTestResponse(TypedDict):
    delivery: DeliveryDetails
    """The delivery."""


class WebhooksTriggerResponse(TypedDict):
    streams: int
    """The number of streams to which the event was sent, at least 1."""


class WebhooksUpdateResponse(TypedDict):
    webhook: Webhook
    """The endpoint."""


class Workload(TypedDict):
    issuer: str
    """The issuer of the identity tokens, whose OpenID Connect configuration is read."""
    conditions: Dict[str, Union[str, List[str]]]
    """The claims that the identity token must have: each with one string, or with up to 20. A name that begins with `/` is a JSON Pointer to a nested claim. A string may end in `*`, for any rest."""
    token_lifetime_seconds: int
    """How long an exchanged token is valid, in seconds. Default: 900."""
    single_use: bool
    """Whether each identity token is exchanged once. If not, the processes of a machine can share one. Default: true for GitHub and GitLab, false for other issuers."""
    audience: str
    """The audience that the identity token must name."""


class WorkloadChange(TypedDict, total=False):
    conditions: Dict[str, Union[str, List[str]]]
    """The claims that the identity token must have: each with one string, or with up to 20. A name that begins with `/` is a JSON Pointer to a nested claim. A string may end in `*`, for any rest."""
    token_lifetime_seconds: int
    """How long an exchanged token is valid, in seconds. Default: 900."""
    single_use: bool
    """Whether each identity token is exchanged once. If not, the processes of a machine can share one. Default: true for GitHub and GitLab, false for other issuers."""


__all__ = [
    "ApiKey",
    "ApiKeysCreateResponse",
    "ApiKeysGetResponse",
    "ApiKeysRotateResponse",
    "ApiKeysScopesResponse",
    "ApiKeysUpdateResponse",
    "ApiKeysUsageResponse",
    "ApiKeysUsesItems",
    "Attempt",
    "AuditActor",
    "AuditEvent",
    "AuditTarget",
    "AuthDeviceCodeResponse",
    "AuthDeviceTokenResponse",
    "AuthMeResponse",
    "AuthTokenResponse",
    "Delivery",
    "DeliveryDetails",
    "DeliveryEvent",
    "DeliveryWebhook",
    "DeviceTenant",
    "Event",
    "EventDelivery",
    "EventType",
    "EventsGetResponse",
    "EventsHistogramItems",
    "EventsHistogramResponse",
    "Health",
    "Incident",
    "KeyPolicy",
    "KeyUser",
    "NewWorkload",
    "Person",
    "Recovery",
    "RecoveryPreview",
    "Scope",
    "SecurityPolicy",
    "StatsBucket",
    "Tenant",
    "TenantEditionResponse",
    "TenantKeyPolicyResponse",
    "TenantKeyPolicyWarnings",
    "TenantSecurityPolicyResponse",
    "UsageDay",
    "Webhook",
    "WebhookDeliveriesGetResponse",
    "WebhookDeliveriesHistogramItems",
    "WebhookDeliveriesHistogramResponse",
    "WebhookDeliveriesRedeliverResponse",
    "WebhookDeliveriesRetryNowResponse",
    "WebhooksCompletenessResponse",
    "WebhooksCreateResponse",
    "WebhooksEventTypesResponse",
    "WebhooksGetResponse",
    "WebhooksIncidentIncident",
    "WebhooksIncidentIncidentTimeline",
    "WebhooksIncidentResponse",
    "WebhooksPingResponse",
    "WebhooksRecoverResponse",
    "WebhooksRecoveriesGetResponse",
    "WebhooksReplayResponse",
    "WebhooksRetryNowResponse",
    "WebhooksRotateSecretResponse",
    "WebhooksStatsResponse",
    "WebhooksTestResponse",
    "WebhooksTriggerResponse",
    "WebhooksUpdateResponse",
    "Workload",
    "WorkloadChange",
]
