# Made by `npm run generate` from the OpenAPI document. Edit tools/clients, not this file.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from .._connection import Connection, path_of
from .._follow import Followable
from .._not_given import NOT_GIVEN, NotGiven, given
from .._pages import Pages
from .types import (
    ApiKey,
    ApiKeysCreateResponse,
    ApiKeysGetResponse,
    ApiKeysRotateResponse,
    ApiKeysScopesResponse,
    ApiKeysUpdateResponse,
    ApiKeysUsageResponse,
    ApiKeysUsesItems,
    Attempt,
    AuditEvent,
    AuthDeviceCodeResponse,
    AuthDeviceTokenResponse,
    AuthMeResponse,
    AuthTokenResponse,
    Delivery,
    Event,
    EventsGetResponse,
    EventsHistogramResponse,
    Incident,
    NewWorkload,
    RecoveryPreview,
    TenantEditionResponse,
    TenantKeyPolicyResponse,
    TenantSecurityPolicyResponse,
    Webhook,
    WebhookDeliveriesGetResponse,
    WebhookDeliveriesHistogramResponse,
    WebhookDeliveriesRedeliverResponse,
    WebhookDeliveriesRetryNowResponse,
    WebhooksCompletenessResponse,
    WebhooksCreateResponse,
    WebhooksEventTypesResponse,
    WebhooksGetResponse,
    WebhooksIncidentResponse,
    WebhooksPingResponse,
    WebhooksRecoverResponse,
    WebhooksRecoveriesGetResponse,
    WebhooksReplayResponse,
    WebhooksRetryNowResponse,
    WebhooksRotateSecretResponse,
    WebhooksStatsResponse,
    WebhooksTestResponse,
    WebhooksTriggerResponse,
    WebhooksUpdateResponse,
    WorkloadChange,
)


class AuthDeviceGroup:
    """`client.auth.device`"""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def code(
        self,
        *,
        client_name: str,
    ) -> AuthDeviceCodeResponse:
        """
        Start a device login.

        For command-line clients (RFC 8628). Show the person the code and the URL, then poll. An IPv4 address or IPv6 /64 may start 10 device logins per minute and have 5 pending.

        POST /auth/device/code

        client_name: Shown to the person and used as the name of the key. 1 to 64 characters after trimming, at least one of them visible, without control, format or invisible characters.
        """
        result: AuthDeviceCodeResponse = self._connection.call(
            "POST",
            "/auth/device/code",
            body=given({"client_name": client_name}),
            is_retryable=False,
        )
        return result

    def token(
        self,
        *,
        device_code: str,
    ) -> AuthDeviceTokenResponse:
        """
        Poll a device login.

        After approval, one poll returns the key. Before and afterwards the response is 400 with a code from RFC 8628, section 3.5, in `code` and in `error`.

        POST /auth/device/token

        device_code: The `device_code` of the start.
        """
        result: AuthDeviceTokenResponse = self._connection.call(
            "POST",
            "/auth/device/token",
            body=given({"device_code": device_code}),
            is_retryable=False,
        )
        return result


class AuthGroup:
    """`client.auth`"""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.device = AuthDeviceGroup(connection)

    def me(
        self,
    ) -> AuthMeResponse:
        """
        Get the acting user with its roles and permissions, and the key.

        Use it to check a key, and to see what it may do.

        GET /auth/me
        """
        result: AuthMeResponse = self._connection.call(
            "GET",
            "/auth/me",
        )
        return result

    def token(
        self,
        *,
        grant_type: str,
        subject_token: str,
        subject_token_type: str,
    ) -> AuthTokenResponse:
        """
        Exchange an identity token.

        Token exchange (RFC 8693): a CI job or a machine exchanges an identity token of its issuer for a short-lived token of the workload key that the audience of the identity token names. White space around the token is ignored. With `single_use`, each identity token is exchanged once. A key has at most 50 unexpired tokens and 60 exchanges per minute, and an IPv4 address or IPv6 /64 at most 20 responses `invalid_grant` or 503 per minute. Other members of the body, `Authorization` and cookies are ignored.

        POST /auth/token

        grant_type: `urn:ietf:params:oauth:grant-type:token-exchange`.
        subject_token: The identity token: a JWT that is signed by the issuer of the key.
        subject_token_type: `urn:ietf:params:oauth:token-type:id_token` or `urn:ietf:params:oauth:token-type:jwt`.
        """
        result: AuthTokenResponse = self._connection.call(
            "POST",
            "/auth/token",
            body=given({"grant_type": grant_type, "subject_token": subject_token, "subject_token_type": subject_token_type}),
            is_retryable=False,
        )
        return result

    def revoke(
        self,
        *,
        token: str,
        descendants: bool | NotGiven = NOT_GIVEN,
    ) -> None:
        """
        Revoke the key of a token.

        Anyone who has a token can revoke its key, regardless of its scopes: to sign out, or because the token has leaked. Of a workload key, only the exchanged token ends, whatever `descendants` is. Unknown, malformed and wrong tokens also get 204. An IPv4 address or IPv6 /64 may call this 10 times per minute. `Authorization` and cookies are ignored.

        POST /auth/revoke

        token: The full token of the key.
        descendants: Whether to also revoke every key that was created with it, directly or indirectly, and every secret that one of them created by rotating another key. They end within 10 seconds. Default: false.
        """
        self._connection.call(
            "POST",
            "/auth/revoke",
            body=given({"token": token, "descendants": descendants}),
            is_retryable=False,
        )


class TenantGroup:
    """`client.tenant`"""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def edition(
        self,
    ) -> TenantEditionResponse:
        """
        Get the organization's edition with its features and limits.

        Use it to show the limits instead of copying them into your program.

        GET /tenant/edition
        """
        result: TenantEditionResponse = self._connection.call(
            "GET",
            "/tenant/edition",
        )
        return result

    def key_policy(
        self,
    ) -> TenantKeyPolicyResponse:
        """
        Get the organization's key policy.

        The rules that new keys must meet. Without a policy, everything is allowed.

        GET /tenant/key-policy
        """
        result: TenantKeyPolicyResponse = self._connection.call(
            "GET",
            "/tenant/key-policy",
        )
        return result

    def security_policy(
        self,
    ) -> TenantSecurityPolicyResponse:
        """
        Get the organization's security policy.

        Without a policy, no second factor is required and everyone may approve device logins.

        GET /tenant/security-policy
        """
        result: TenantSecurityPolicyResponse = self._connection.call(
            "GET",
            "/tenant/security-policy",
        )
        return result


class ApiKeysGroup:
    """`client.api_keys`"""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def scopes(
        self,
    ) -> ApiKeysScopesResponse:
        """
        List the scopes and the permissions that each covers.

        The scopes that a key can have. The list is complete and has one page.

        GET /api-keys/scopes
        """
        result: ApiKeysScopesResponse = self._connection.call(
            "GET",
            "/api-keys/scopes",
        )
        return result

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        kind: Literal["personal", "organization"] | NotGiven = NOT_GIVEN,
        status: Literal["active", "disabled", "expired", "revoked"] | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        user_id: str | NotGiven = NOT_GIVEN,
        external_id: str | NotGiven = NOT_GIVEN,
        revoked: Literal[False] | NotGiven = NOT_GIVEN,
        wide_ip_allowlist: Literal[True] | NotGiven = NOT_GIVEN,
        violates_policy: Literal[True] | NotGiven = NOT_GIVEN,
    ) -> Pages[ApiKey]:
        """
        List keys.

        Your personal keys. With `apikeys.read` at organization level, also organization keys and the personal keys of everyone in the organization. If few items match, a page may contain fewer items than `limit`, or none: continue until `next_cursor` is null.

        GET /api-keys

        limit: The most items of a page, 1 to 100.
        cursor: The `next_cursor` of the previous page. Without it, the list starts with the newest item.
        kind: Only keys of this kind.
        status: Only keys with this status.
        q: Only keys whose name contains this text, case-insensitive.
        user_id: Only keys that act as this user.
        external_id: Only the keys with this external id.
        revoked: `false`: only keys that are not revoked. Default: all keys.
        wide_ip_allowlist: `true`: only keys whose IP allowlist admits more than a /8 (IPv4) or a /32 (IPv6), without revoked and expired ones.
        violates_policy: `true`: only keys that violate the key policy of the organization, without revoked and expired ones.
        """
        path = "/api-keys"
        return Pages(
            lambda query: self._connection.call("GET", path, query=query),
            given({"limit": limit, "cursor": cursor, "kind": kind, "status": status, "q": q, "user_id": user_id, "external_id": external_id, "revoked": revoked, "wide_ip_allowlist": wide_ip_allowlist, "violates_policy": violates_policy}),
        )

    def create(
        self,
        *,
        name: str,
        scopes: Sequence[str],
        kind: Literal["personal", "organization"] | NotGiven = NOT_GIVEN,
        expires_at: str | None | NotGiven = NOT_GIVEN,
        ip_allowlist: Sequence[str] | None | NotGiven = NOT_GIVEN,
        accounts: Sequence[str] | None | NotGiven = NOT_GIVEN,
        rate_limit_per_minute: int | NotGiven = NOT_GIVEN,
        workload: NewWorkload | NotGiven = NOT_GIVEN,
        external_id: str | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> ApiKeysCreateResponse:
        """
        Create a key.

        A personal key acts as its user. An organization key acts as a service user with the role admin; creating one needs `apikeys.manage`. A user can have 100 keys that are neither revoked nor expired, and an organization 500.

        POST /api-keys

        name: A name for people, with at least one visible character and no control characters.
        scopes: What the key may do: `<resource>:read`, `<resource>:write`, `*:read` or `*`. No scope gives more than the roles of the user.
        kind: `personal` acts as you. `organization` acts as a service user of its own with the role admin. Default: `personal`.
        expires_at: When the key expires. It cannot be changed later. Default: null, for no expiry.
        ip_allowlist: IP addresses or CIDR ranges that may use the key, without host bits; null for all, which is the default.
        accounts: Limits the key to these accounts, as if they were the only ones assigned to its user; null for no limit, which is the default.
        rate_limit_per_minute: The most requests in any 60 seconds. Default: 600, which is also the maximum.
        workload: Makes a workload key, which has no token: a CI job or a machine exchanges an identity token for a short-lived token at `POST /auth/token`. Only for `organization` keys.
        external_id: The id under which your own tools know it: letters, digits and `._:/-`. Unique in the organization. Only for `organization` keys. Default: null, for none.
        idempotency_key: the Idempotency-Key; by default, a new one for each call.
        """
        result: ApiKeysCreateResponse = self._connection.call(
            "POST",
            "/api-keys",
            body=given({"name": name, "scopes": scopes, "kind": kind, "expires_at": expires_at, "ip_allowlist": ip_allowlist, "accounts": accounts, "rate_limit_per_minute": rate_limit_per_minute, "workload": workload, "external_id": external_id}),
            idempotency_key=idempotency_key,
        )
        return result

    def get(
        self,
        id: str,
    ) -> ApiKeysGetResponse:
        """
        Get a key.

        Returns a key by its key id, without its secret. A key that you may not see is not found.

        GET /api-keys/{id}
        """
        result: ApiKeysGetResponse = self._connection.call(
            "GET",
            path_of("/api-keys/{id}", id=id),
        )
        return result

    def update(
        self,
        id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        scopes: Sequence[str] | NotGiven = NOT_GIVEN,
        ip_allowlist: Sequence[str] | None | NotGiven = NOT_GIVEN,
        accounts: Sequence[str] | None | NotGiven = NOT_GIVEN,
        enabled: bool | NotGiven = NOT_GIVEN,
        rate_limit_per_minute: int | NotGiven = NOT_GIVEN,
        workload: WorkloadChange | NotGiven = NOT_GIVEN,
        external_id: str | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> ApiKeysUpdateResponse:
        """
        Update a key.

        Allowed for the owner of a personal key, and with `apikeys.manage` for organization keys. The expiry cannot be changed. A disabled key is refused until it is enabled again. With a session, widening or enabling a key needs a confirmation within the last 5 minutes.

        PATCH /api-keys/{id}

        name: A name for people, with at least one visible character and no control characters.
        scopes: What the key may do: `<resource>:read`, `<resource>:write`, `*:read` or `*`. No scope gives more than the roles of the user.
        ip_allowlist: IP addresses or CIDR ranges that may use the key, without host bits; null for all, which is the default.
        accounts: Limits the key to these accounts, as if they were the only ones assigned to its user; null for no limit, which is the default.
        enabled: False disables the key until it is enabled again. Default: unchanged.
        rate_limit_per_minute: The most requests in any 60 seconds. Default: 600, which is also the maximum.
        workload: Only for workload keys, and only with a session. Other conditions end all exchanged tokens.
        external_id: The id under which your own tools know it: letters, digits and `._:/-`. Unique in the organization. Only for `organization` keys. Default: null, for none.
        idempotency_key: the Idempotency-Key; by default, a new one for each call.
        """
        result: ApiKeysUpdateResponse = self._connection.call(
            "PATCH",
            path_of("/api-keys/{id}", id=id),
            body=given({"name": name, "scopes": scopes, "ip_allowlist": ip_allowlist, "accounts": accounts, "enabled": enabled, "rate_limit_per_minute": rate_limit_per_minute, "workload": workload, "external_id": external_id}),
            idempotency_key=idempotency_key,
        )
        return result

    def revoke(
        self,
        id: str,
        *,
        descendants: bool | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> None:
        """
        Revoke a key.

        Immediate and permanent. Allowed for the owner of a personal key, and with `apikeys.manage` for any key. Revoking a revoked key returns 204.

        DELETE /api-keys/{id}

        descendants: Whether to also revoke every key that was created with it, directly or indirectly, and every secret that one of them created by rotating another key. They end within 10 seconds. Default: `false`.
        idempotency_key: the Idempotency-Key; by default, a new one for each call.
        """
        self._connection.call(
            "DELETE",
            path_of("/api-keys/{id}", id=id),
            query=given({"descendants": descendants}),
            idempotency_key=idempotency_key,
        )

    def rotate(
        self,
        id: str,
        *,
        grace_seconds: int | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> ApiKeysRotateResponse:
        """
        Rotate a key.

        Creates a new secret. The id, scopes and settings stay the same. Only its owner can rotate a personal key.

        POST /api-keys/{id}/rotate

        grace_seconds: The overlap period: how long the current secret stays valid, in seconds. With 0 or without this member, all old secrets end immediately.
        idempotency_key: the Idempotency-Key; by default, a new one for each call.
        """
        result: ApiKeysRotateResponse = self._connection.call(
            "POST",
            path_of("/api-keys/{id}/rotate", id=id),
            body=given({"grace_seconds": grace_seconds}),
            idempotency_key=idempotency_key,
        )
        return result

    def usage(
        self,
        id: str,
    ) -> ApiKeysUsageResponse:
        """
        Get the daily requests of a key.

        The last 30 days in UTC, today first. A request counts on the day it arrived, with its refusal, once its response is known.

        GET /api-keys/{id}/usage
        """
        result: ApiKeysUsageResponse = self._connection.call(
            "GET",
            path_of("/api-keys/{id}/usage", id=id),
        )
        return result

    def uses(
        self,
        id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        since: str | NotGiven = NOT_GIVEN,
        until: str | NotGiven = NOT_GIVEN,
        by: Literal["hour", "day"] | NotGiven = NOT_GIVEN,
    ) -> Pages[ApiKeysUsesItems]:
        """
        List the uses of a key.

        Requests with a valid secret by hour or day, operation, status, address and secret, newest first, of the last 7 days. Of an hour at most 200 combinations are kept; the rest is one item whose `operation` and `address` are null. The numbers add up to the usage of the key and may lag by up to 10 seconds. A request counts in the hour in which it arrived, once its response is known.

        GET /api-keys/{id}/uses

        limit: The most items of a page, 1 to 100.
        cursor: The `next_cursor` of the previous page. Without it, the list starts with the newest item.
        since: Starts with the hour or day that contains this time, at most 7 days before `until`. Default: 24 hours before it.
        until: Only hours that start before this time. Default: now.
        by: The span that requests are added up by. Default: `hour` for up to 48 hours, otherwise `day`.
        """
        path = path_of("/api-keys/{id}/uses", id=id)
        return Pages(
            lambda query: self._connection.call("GET", path, query=query),
            given({"limit": limit, "cursor": cursor, "since": since, "until": until, "by": by}),
        )

    def end_previous_secrets(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
    ) -> None:
        """
        End the old secrets of a key.

        Ends the overlap periods of earlier rotations: from the next request on, only the current secret is valid. Allowed for the owner of a personal key, and with `apikeys.manage` for organization keys. Without old secrets, and for a workload key, nothing changes.

        DELETE /api-keys/{id}/previous-secrets

        idempotency_key: the Idempotency-Key; by default, a new one for each call.
        """
        self._connection.call(
            "DELETE",
            path_of("/api-keys/{id}/previous-secrets", id=id),
            idempotency_key=idempotency_key,
        )


class AuditLogGroup:
    """`client.audit_log`"""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        action: str | NotGiven = NOT_GIVEN,
        key_id: str | NotGiven = NOT_GIVEN,
        actor_id: str | NotGiven = NOT_GIVEN,
        target_type: str | NotGiven = NOT_GIVEN,
        target_id: str | NotGiven = NOT_GIVEN,
        outcome: Literal["success", "refused"] | NotGiven = NOT_GIVEN,
        ip: str | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        since: str | NotGiven = NOT_GIVEN,
        until: str | NotGiven = NOT_GIVEN,
        format: Literal["csv", "jsonl"] | NotGiven = NOT_GIVEN,
    ) -> Pages[AuditEvent]:
        """
        List the audit log.

        The changes and refused requests of the organization, newest first. Entries are never changed or deleted. If few items match, a page may contain fewer items than `limit`, or none: continue until `next_cursor` is null.

        GET /audit-log

        limit: The most items of a page, 1 to 100. Default: 50, or all records of an export.
        cursor: The `next_cursor` of the previous page. Without it, the list starts with the newest item.
        action: Only events with exactly this action, for example `api_key.create`.
        key_id: Only entries with this key as actor or target.
        actor_id: Only events whose actor is this user.
        target_type: Only events whose target has this type, for example `webhook`.
        target_id: Only events whose target has this id.
        outcome: Only events with this outcome.
        ip: Only events of requests from this client address.
        q: Only events in which a name contains this text, case-insensitive: the name of the actor, or a name or description of the target, before or after the change.
        since: Only events at or after this time.
        until: Only events before this time.
        format: Exports the list as a file instead of a page: up to 100,000 records, or `limit` of them, after `cursor` if it is given. The first line of `csv` has the names of the columns; values that begin with `=`, `+`, `-`, `@`, tab or carriage return are prefixed by `'`. `jsonl` has a record in each line. If more is left, the header `X-Next-Cursor` has its `cursor`. You can run one export at a time.
        """
        path = "/audit-log"
        return Pages(
            lambda query: self._connection.call("GET", path, query=query),
            given({"limit": limit, "cursor": cursor, "action": action, "key_id": key_id, "actor_id": actor_id, "target_type": target_type, "target_id": target_id, "outcome": outcome, "ip": ip, "q": q, "since": since, "until": until, "format": format}),
        )


class WebhooksRecoveriesGroup:
    """`client.webhooks.recoveries`"""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(
        self,
        id: str,
        recovery_id: str,
    ) -> WebhooksRecoveriesGetResponse:
        """
        Get the progress of a recovery.

        Poll it until `status` is not `running`.

        GET /webhooks/{id}/recoveries/{recovery_id}
        """
        result: WebhooksRecoveriesGetResponse = self._connection.call(
            "GET",
            path_of("/webhooks/{id}/recoveries/{recovery_id}", id=id, recovery_id=recovery_id),
        )
        return result

    def cancel(
        self,
        id: str,
        recovery_id: str,
        *,
        idempotency_key: str | None = None,
    ) -> None:
        """
        Cancel a recovery.

        Redeliveries that it created are not undone. Cancelling a finished recovery has no effect.

        DELETE /webhooks/{id}/recoveries/{recovery_id}

        idempotency_key: the Idempotency-Key; by default, a new one for each call.
        """
        self._connection.call(
            "DELETE",
            path_of("/webhooks/{id}/recoveries/{recovery_id}", id=id, recovery_id=recovery_id),
            idempotency_key=idempotency_key,
        )


class WebhooksGroup:
    """`client.webhooks`"""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.recoveries = WebhooksRecoveriesGroup(connection)

    def event_types(
        self,
    ) -> WebhooksEventTypesResponse:
        """
        List the event types with the schema and an example of their data.

        What an endpoint can subscribe to. The list is complete and has one page. Receivers ignore types that they do not know.

        GET /webhooks/event-types
        """
        result: WebhooksEventTypesResponse = self._connection.call(
            "GET",
            "/webhooks/event-types",
        )
        return result

    def trigger(
        self,
        *,
        type: Literal["server.enrolled", "server.revoked", "account.created", "account.updated", "account.deleted", "site.created", "site.updated", "site.tls_updated", "site.deleted", "backup.completed", "backup.failed", "backup.restored", "dns.zone_created", "dns.zone_deleted", "dns.records_changed", "database.created", "database.deleted", "job.succeeded", "job.failed", "alert.firing", "alert.resolved", "endpoint.failing", "endpoint.recovered", "endpoint.disabled", "api_key.expiring", "api_key.created", "api_key.revoked"],
        data: Mapping[str, Any] | NotGiven = NOT_GIVEN,
    ) -> WebhooksTriggerResponse:
        """
        Send an example event to your own streams.

        Sends an event with the example data of its type to the open streams of the same key or person in this organization, and to nobody else. It has no delivery and is not in the event log.

        POST /webhooks/listen/trigger

        type: The event type.
        data: Members of `data` that replace those of the example. The result must match the schema of the type.
        """
        result: WebhooksTriggerResponse = self._connection.call(
            "POST",
            "/webhooks/listen/trigger",
            body=given({"type": type, "data": data}),
            is_retryable=False,
        )
        return result

    def replay(
        self,
        *,
        delivery_ids: Sequence[str] | NotGiven = NOT_GIVEN,
        event_ids: Sequence[str] | NotGiven = NOT_GIVEN,
        since: str | NotGiven = NOT_GIVEN,
        status: Literal["queued", "in_flight", "waiting_retry", "waiting_endpoint", "succeeded", "dead"] | NotGiven = NOT_GIVEN,
    ) -> WebhooksReplayResponse:
        """
        Send deliveries again to your own streams.

        Sends the events of real deliveries to the open streams of the same key or person in this organization, and to nobody else. They have the ids that they had, and the signature of the stream, without the custom headers of their endpoint. No attempt is recorded, and no endpoint gets anything. Give at least one member; deliveries must match both `since` and `status`. Of more than 1,000 deliveries, the newest are sent, oldest first.

        POST /webhooks/listen/replay

        delivery_ids: These deliveries.
        event_ids: These events, each once: with the id of its newest delivery, or with a new one if it has none.
        since: Only deliveries created at or after this time.
        status: Only deliveries with this status.
        """
        result: WebhooksReplayResponse = self._connection.call(
            "POST",
            "/webhooks/listen/replay",
            body=given({"delivery_ids": delivery_ids, "event_ids": event_ids, "since": since, "status": status}),
            is_retryable=False,
        )
        return result

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        external_id: str | NotGiven = NOT_GIVEN,
    ) -> Pages[Webhook]:
        """
        List the endpoints.

        The endpoints of the organization with their health, newest first.

        GET /webhooks

        limit: The most items of a page, 1 to 100.
        cursor: The `next_cursor` of the previous page. Without it, the list starts with the newest item.
        external_id: Only the endpoint with this external id.
        """
        path = "/webhooks"
        return Pages(
            lambda query: self._connection.call("GET", path, query=query),
            given({"limit": limit, "cursor": cursor, "external_id": external_id}),
        )

    def create(
        self,
        *,
        url: str,
        events: Sequence[str],
        description: str | None | NotGiven = NOT_GIVEN,
        enabled: bool | NotGiven = NOT_GIVEN,
        rate_limit_per_second: int | None | NotGiven = NOT_GIVEN,
        disable_after_failing_hours: int | None | NotGiven = NOT_GIVEN,
        headers: Mapping[str, str] | None | NotGiven = NOT_GIVEN,
        standard_webhooks: bool | NotGiven = NOT_GIVEN,
        external_id: str | None | NotGiven = NOT_GIVEN,
        accounts: Sequence[str] | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> WebhooksCreateResponse:
        """
        Create an endpoint.

        Store the signing secret: it is returned only once. An organization can have 20 endpoints.

        POST /webhooks

        url: Where events are sent: HTTPS to a public address, without credentials or a fragment. At most 2,048 characters.
        events: Which events are sent, as patterns: `*`, `<resource>.*` or an exact event type.
        description: A description for people. Default: null, for none.
        enabled: Whether deliveries are sent. Deliveries to a disabled endpoint wait until it is enabled. Default: true.
        rate_limit_per_second: The most attempts per second to the endpoint. Further deliveries wait, which uses up no attempt. Default: null, for no limit.
        disable_after_failing_hours: Disables the endpoint when an incident has been open for this long. Its deliveries wait until it is enabled. Default: null, for never.
        headers: Custom headers, which every attempt carries: values by name. They are stored encrypted and never returned. An update replaces all; null or `{}` removes all.
        standard_webhooks: Whether each attempt also carries `webhook-id`, `webhook-timestamp` and `webhook-signature`, as Standard Webhooks defines them. Default: false.
        external_id: The id under which your own tools know it: letters, digits and `._:/-`. Unique in the organization. Default: null, for none.
        accounts: Only events of these accounts of the organization are delivered, by the `account_id` in their data. Events without an account are not. Default: null, for all events.
        idempotency_key: the Idempotency-Key; by default, a new one for each call.
        """
        result: WebhooksCreateResponse = self._connection.call(
            "POST",
            "/webhooks",
            body=given({"url": url, "events": events, "description": description, "enabled": enabled, "rate_limit_per_second": rate_limit_per_second, "disable_after_failing_hours": disable_after_failing_hours, "headers": headers, "standard_webhooks": standard_webhooks, "external_id": external_id, "accounts": accounts}),
            idempotency_key=idempotency_key,
        )
        return result

    def get(
        self,
        id: str,
    ) -> WebhooksGetResponse:
        """
        Get an endpoint.

        Returns an endpoint with its health, without its signing secret.

        GET /webhooks/{id}
        """
        result: WebhooksGetResponse = self._connection.call(
            "GET",
            path_of("/webhooks/{id}", id=id),
        )
        return result

    def update(
        self,
        id: str,
        *,
        url: str | NotGiven = NOT_GIVEN,
        events: Sequence[str] | NotGiven = NOT_GIVEN,
        description: str | None | NotGiven = NOT_GIVEN,
        enabled: bool | NotGiven = NOT_GIVEN,
        rate_limit_per_second: int | None | NotGiven = NOT_GIVEN,
        disable_after_failing_hours: int | None | NotGiven = NOT_GIVEN,
        headers: Mapping[str, str] | None | NotGiven = NOT_GIVEN,
        standard_webhooks: bool | NotGiven = NOT_GIVEN,
        external_id: str | None | NotGiven = NOT_GIVEN,
        accounts: Sequence[str] | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> WebhooksUpdateResponse:
        """
        Update, disable or enable an endpoint.

        Disabling an endpoint pauses its deliveries; enabling resumes them. Omitted members stay unchanged. If the endpoint has custom headers, a change of the scheme, host or port of its URL must come with `headers`: all headers for the new URL, or null to remove them. With a session, such a change needs a confirmation within the last 5 minutes.

        PATCH /webhooks/{id}

        url: Where events are sent: HTTPS to a public address, without credentials or a fragment. At most 2,048 characters.
        events: Which events are sent, as patterns: `*`, `<resource>.*` or an exact event type.
        description: A description for people. Default: null, for none.
        enabled: Whether deliveries are sent. Deliveries to a disabled endpoint wait until it is enabled. Default: true.
        rate_limit_per_second: The most attempts per second to the endpoint. Further deliveries wait, which uses up no attempt. Default: null, for no limit.
        disable_after_failing_hours: Disables the endpoint when an incident has been open for this long. Its deliveries wait until it is enabled. Default: null, for never.
        headers: Custom headers, which every attempt carries: values by name. They are stored encrypted and never returned. An update replaces all; null or `{}` removes all.
        standard_webhooks: Whether each attempt also carries `webhook-id`, `webhook-timestamp` and `webhook-signature`, as Standard Webhooks defines them. Default: false.
        external_id: The id under which your own tools know it: letters, digits and `._:/-`. Unique in the organization. Default: null, for none.
        accounts: Only events of these accounts of the organization are delivered, by the `account_id` in their data. Events without an account are not. Default: null, for all events.
        idempotency_key: the Idempotency-Key; by default, a new one for each call.
        """
        result: WebhooksUpdateResponse = self._connection.call(
            "PATCH",
            path_of("/webhooks/{id}", id=id),
            body=given({"url": url, "events": events, "description": description, "enabled": enabled, "rate_limit_per_second": rate_limit_per_second, "disable_after_failing_hours": disable_after_failing_hours, "headers": headers, "standard_webhooks": standard_webhooks, "external_id": external_id, "accounts": accounts}),
            idempotency_key=idempotency_key,
        )
        return result

    def delete(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
    ) -> None:
        """
        Delete an endpoint.

        Its waiting deliveries become `dead`. Its history stays readable for 30 days.

        DELETE /webhooks/{id}

        idempotency_key: the Idempotency-Key; by default, a new one for each call.
        """
        self._connection.call(
            "DELETE",
            path_of("/webhooks/{id}", id=id),
            idempotency_key=idempotency_key,
        )

    def rotate_secret(
        self,
        id: str,
        *,
        grace_seconds: int | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> WebhooksRotateSecretResponse:
        """
        Rotate the signing secret of an endpoint.

        During the overlap period every delivery carries a signature for each valid secret.

        POST /webhooks/{id}/rotate-secret

        grace_seconds: The overlap period: how long the current secret stays valid, in seconds. With 0 or without this member, all old secrets end immediately.
        idempotency_key: the Idempotency-Key; by default, a new one for each call.
        """
        result: WebhooksRotateSecretResponse = self._connection.call(
            "POST",
            path_of("/webhooks/{id}/rotate-secret", id=id),
            body=given({"grace_seconds": grace_seconds}),
            idempotency_key=idempotency_key,
        )
        return result

    def ping(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
    ) -> WebhooksPingResponse:
        """
        Send a test event to an endpoint.

        Sends `webhook.ping` to this endpoint only, whatever it subscribes to. Get the delivery by its id to see the outcome.

        POST /webhooks/{id}/ping

        idempotency_key: the Idempotency-Key; by default, a new one for each call.
        """
        result: WebhooksPingResponse = self._connection.call(
            "POST",
            path_of("/webhooks/{id}/ping", id=id),
            idempotency_key=idempotency_key,
        )
        return result

    def test(
        self,
        id: str,
        *,
        event_type: Literal["server.enrolled", "server.revoked", "account.created", "account.updated", "account.deleted", "site.created", "site.updated", "site.tls_updated", "site.deleted", "backup.completed", "backup.failed", "backup.restored", "dns.zone_created", "dns.zone_deleted", "dns.records_changed", "database.created", "database.deleted", "job.succeeded", "job.failed", "alert.firing", "alert.resolved", "endpoint.failing", "endpoint.recovered", "endpoint.disabled", "api_key.expiring", "api_key.created", "api_key.revoked"],
        idempotency_key: str | None = None,
    ) -> WebhooksTestResponse:
        """
        Send an example event of a type to an endpoint.

        The event has the example data of its type and goes to this endpoint only. Nothing on the platform changes.

        POST /webhooks/{id}/test

        event_type: The event type to send, subscribed to or not.
        idempotency_key: the Idempotency-Key; by default, a new one for each call.
        """
        result: WebhooksTestResponse = self._connection.call(
            "POST",
            path_of("/webhooks/{id}/test", id=id),
            body=given({"event_type": event_type}),
            idempotency_key=idempotency_key,
        )
        return result

    def stats(
        self,
        id: str,
        *,
        window: Literal["1h", "24h", "7d"] | NotGiven = NOT_GIVEN,
    ) -> WebhooksStatsResponse:
        """
        Get the attempts of an endpoint over time.

        Counts attempts, not deliveries. Pings, test events and redeliveries also count.

        GET /webhooks/{id}/stats

        window: The time span, which ends now: `1h` in buckets of 5 minutes, `24h` of an hour, `7d` of a day.
        """
        result: WebhooksStatsResponse = self._connection.call(
            "GET",
            path_of("/webhooks/{id}/stats", id=id),
            query=given({"window": window}),
        )
        return result

    def completeness(
        self,
        id: str,
        *,
        since: str | NotGiven = NOT_GIVEN,
    ) -> WebhooksCompletenessResponse:
        """
        Check whether all events have arrived at an endpoint.

        Counts the events of the event log that the endpoint subscribes to now, exactly, and what became of them at this endpoint. Each event counts once, however many deliveries it has: `events` is the sum of `delivered`, `waiting`, `dead` and `never_sent`. Pings and test events are not in the log. If there are too many events to count in time, the response is 503: choose a later `since`.

        GET /webhooks/{id}/completeness

        since: Only events created at or after this time, at most 30 days ago. Default: since the endpoint was created, at most 30 days ago.
        """
        result: WebhooksCompletenessResponse = self._connection.call(
            "GET",
            path_of("/webhooks/{id}/completeness", id=id),
            query=given({"since": since}),
        )
        return result

    def incidents(
        self,
        id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
    ) -> Pages[Incident]:
        """
        List the incidents of an endpoint.

        After 5 failed attempts in a row, an incident opens. The first success closes it, and so does disabling or deleting the endpoint. Incidents, including those of a deleted endpoint, are kept for 30 days after they are closed.

        GET /webhooks/{id}/incidents

        limit: The most items of a page, 1 to 100.
        cursor: The `next_cursor` of the previous page. Without it, the list starts with the newest item.
        """
        path = path_of("/webhooks/{id}/incidents", id=id)
        return Pages(
            lambda query: self._connection.call("GET", path, query=query),
            given({"limit": limit, "cursor": cursor}),
        )

    def incident(
        self,
        id: str,
        incident_id: str,
    ) -> WebhooksIncidentResponse:
        """
        Get an incident with its timeline and its events.

        Shows how the attempts failed over time, how many events the incident concerned, and how many of them have arrived since. Pings and test events do not count as events.

        GET /webhooks/{id}/incidents/{incident_id}
        """
        result: WebhooksIncidentResponse = self._connection.call(
            "GET",
            path_of("/webhooks/{id}/incidents/{incident_id}", id=id, incident_id=incident_id),
        )
        return result

    def recover(
        self,
        id: str,
        *,
        since: str,
        until: str | NotGiven = NOT_GIVEN,
        status: Literal["dead", "any"] | NotGiven = NOT_GIVEN,
        event_types: Sequence[Literal["*", "server.enrolled", "server.*", "server.revoked", "account.created", "account.*", "account.updated", "account.deleted", "site.created", "site.*", "site.updated", "site.tls_updated", "site.deleted", "backup.completed", "backup.*", "backup.failed", "backup.restored", "dns.zone_created", "dns.*", "dns.zone_deleted", "dns.records_changed", "database.created", "database.*", "database.deleted", "job.succeeded", "job.*", "job.failed", "alert.firing", "alert.*", "alert.resolved", "endpoint.failing", "endpoint.*", "endpoint.recovered", "endpoint.disabled", "api_key.expiring", "api_key.*", "api_key.created", "api_key.revoked", "invoice.ready", "invoice.*"]] | NotGiven = NOT_GIVEN,
        backfill: bool | NotGiven = NOT_GIVEN,
        dry_run: bool | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> RecoveryPreview | WebhooksRecoverResponse:
        """
        Send the events of a time range again.

        Redelivers the event of every dead delivery created in the time range, unless a redelivery has since succeeded or is pending. `status`, `event_types` and `backfill` change which events are sent. Each event is sent at most once, only if the endpoint subscribes to its type now, and never a ping or test. An endpoint can have one running recovery at a time. `total` counts at least the first 10,000 deliveries or events examined and grows with `done` beyond that; at the end both are equal. With `dry_run` nothing is sent; the response contains `total`, which is exact unless counting takes longer than 4 seconds.

        POST /webhooks/{id}/recover

        since: Recovers deliveries created at or after this time, at most 30 days ago.
        until: Recovers deliveries created before this time. Default: the time of the request.
        status: `dead` sends events again that have not arrived, `any` also those that have. Default: `dead`.
        event_types: Only events that match one of these patterns. Default: all that the endpoint subscribes to.
        backfill: Whether to also send events of the time range that match the patterns of the endpoint and of which it never had a delivery, because it was created or subscribed later.
        dry_run: Whether to only count what a recovery would redeliver.
        idempotency_key: the Idempotency-Key; by default, a new one for each call.
        """
        result: RecoveryPreview | WebhooksRecoverResponse = self._connection.call(
            "POST",
            path_of("/webhooks/{id}/recover", id=id),
            body=given({"since": since, "until": until, "status": status, "event_types": event_types, "backfill": backfill, "dry_run": dry_run}),
            idempotency_key=idempotency_key,
        )
        return result

    def deliveries(
        self,
        id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        status: Literal["queued", "in_flight", "waiting_retry", "waiting_endpoint", "succeeded", "dead"] | NotGiven = NOT_GIVEN,
        event_type: Literal["server.enrolled", "server.revoked", "account.created", "account.updated", "account.deleted", "site.created", "site.updated", "site.tls_updated", "site.deleted", "backup.completed", "backup.failed", "backup.restored", "dns.zone_created", "dns.zone_deleted", "dns.records_changed", "database.created", "database.deleted", "job.succeeded", "job.failed", "alert.firing", "alert.resolved", "endpoint.failing", "endpoint.recovered", "endpoint.disabled", "api_key.expiring", "api_key.created", "api_key.revoked", "invoice.ready", "webhook.ping"] | NotGiven = NOT_GIVEN,
        event_id: str | NotGiven = NOT_GIVEN,
        object_id: str | NotGiven = NOT_GIVEN,
        account_id: str | NotGiven = NOT_GIVEN,
        status_code: int | NotGiven = NOT_GIVEN,
        error_class: Literal["address_not_public", "dns_error", "connection_refused", "connection_reset", "connect_timeout", "timeout", "tls_error", "redirect", "http_error", "protocol_error", "internal_error"] | NotGiven = NOT_GIVEN,
        since: str | NotGiven = NOT_GIVEN,
        until: str | NotGiven = NOT_GIVEN,
    ) -> Pages[Delivery]:
        """
        List the deliveries of an endpoint.

        The history of a deleted endpoint stays readable for 30 days. If few items match, a page may contain fewer items than `limit`, or none: continue until `next_cursor` is null.

        GET /webhooks/{id}/deliveries

        limit: The most items of a page, 1 to 100.
        cursor: The `next_cursor` of the previous page. Without it, the list starts with the newest item.
        status: Only deliveries with this status.
        event_type: Only deliveries of events of this type.
        event_id: Only deliveries of this event.
        object_id: Only deliveries of events of this object.
        account_id: Only deliveries of events of this account.
        status_code: Only deliveries whose last attempt got a response with this HTTP status.
        error_class: Only deliveries whose last attempt failed for this reason.
        since: Only deliveries created at or after this time.
        until: Only deliveries created before this time.
        """
        path = path_of("/webhooks/{id}/deliveries", id=id)
        return Pages(
            lambda query: self._connection.call("GET", path, query=query),
            given({"limit": limit, "cursor": cursor, "status": status, "event_type": event_type, "event_id": event_id, "object_id": object_id, "account_id": account_id, "status_code": status_code, "error_class": error_class, "since": since, "until": until}),
        )

    def retry_now(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
    ) -> WebhooksRetryNowResponse:
        """
        Retry all waiting deliveries of an endpoint now.

        Makes the next attempt of every delivery due now that is `waiting_retry`, for example after an outage of the receiver. They are sent at the pace of an endpoint that is enabled again. Attempt numbers and the delays after them stay the same.

        POST /webhooks/{id}/retry-now

        idempotency_key: the Idempotency-Key; by default, a new one for each call.
        """
        result: WebhooksRetryNowResponse = self._connection.call(
            "POST",
            path_of("/webhooks/{id}/retry-now", id=id),
            idempotency_key=idempotency_key,
        )
        return result


class WebhookDeliveriesGroup:
    """`client.webhook_deliveries`"""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        status: Literal["queued", "in_flight", "waiting_retry", "waiting_endpoint", "succeeded", "dead"] | NotGiven = NOT_GIVEN,
        event_type: Literal["server.enrolled", "server.revoked", "account.created", "account.updated", "account.deleted", "site.created", "site.updated", "site.tls_updated", "site.deleted", "backup.completed", "backup.failed", "backup.restored", "dns.zone_created", "dns.zone_deleted", "dns.records_changed", "database.created", "database.deleted", "job.succeeded", "job.failed", "alert.firing", "alert.resolved", "endpoint.failing", "endpoint.recovered", "endpoint.disabled", "api_key.expiring", "api_key.created", "api_key.revoked", "invoice.ready", "webhook.ping"] | NotGiven = NOT_GIVEN,
        event_id: str | NotGiven = NOT_GIVEN,
        object_id: str | NotGiven = NOT_GIVEN,
        account_id: str | NotGiven = NOT_GIVEN,
        status_code: int | NotGiven = NOT_GIVEN,
        error_class: Literal["address_not_public", "dns_error", "connection_refused", "connection_reset", "connect_timeout", "timeout", "tls_error", "redirect", "http_error", "protocol_error", "internal_error"] | NotGiven = NOT_GIVEN,
        since: str | NotGiven = NOT_GIVEN,
        until: str | NotGiven = NOT_GIVEN,
        webhook_id: str | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        format: Literal["csv", "jsonl"] | NotGiven = NOT_GIVEN,
    ) -> Pages[Delivery]:
        """
        List the deliveries of the organization.

        If few items match, a page may contain fewer items than `limit`, or none: continue until `next_cursor` is null.

        GET /webhook-deliveries

        limit: The most items of a page, 1 to 100. Default: 50, or all records of an export.
        cursor: The `next_cursor` of the previous page. Without it, the list starts with the newest item.
        status: Only deliveries with this status.
        event_type: Only deliveries of events of this type.
        event_id: Only deliveries of this event.
        object_id: Only deliveries of events of this object.
        account_id: Only deliveries of events of this account.
        status_code: Only deliveries whose last attempt got a response with this HTTP status.
        error_class: Only deliveries whose last attempt failed for this reason.
        since: Only deliveries created at or after this time.
        until: Only deliveries created before this time.
        webhook_id: Only deliveries to this endpoint.
        q: Only deliveries that the text stands for: the id of a delivery, an event or an object, or its first 8 characters or more; an event type; or the domain, zone or host name of the event. Case plays no part.
        format: Exports the list as a file instead of a page: up to 100,000 records, or `limit` of them, after `cursor` if it is given. The first line of `csv` has the names of the columns; values that begin with `=`, `+`, `-`, `@`, tab or carriage return are prefixed by `'`. `jsonl` has a record in each line. If more is left, the header `X-Next-Cursor` has its `cursor`. You can run one export at a time.
        """
        path = "/webhook-deliveries"
        return Pages(
            lambda query: self._connection.call("GET", path, query=query),
            given({"limit": limit, "cursor": cursor, "status": status, "event_type": event_type, "event_id": event_id, "object_id": object_id, "account_id": account_id, "status_code": status_code, "error_class": error_class, "since": since, "until": until, "webhook_id": webhook_id, "q": q, "format": format}),
        )

    def histogram(
        self,
        *,
        status: Literal["queued", "in_flight", "waiting_retry", "waiting_endpoint", "succeeded", "dead"] | NotGiven = NOT_GIVEN,
        event_type: Literal["server.enrolled", "server.revoked", "account.created", "account.updated", "account.deleted", "site.created", "site.updated", "site.tls_updated", "site.deleted", "backup.completed", "backup.failed", "backup.restored", "dns.zone_created", "dns.zone_deleted", "dns.records_changed", "database.created", "database.deleted", "job.succeeded", "job.failed", "alert.firing", "alert.resolved", "endpoint.failing", "endpoint.recovered", "endpoint.disabled", "api_key.expiring", "api_key.created", "api_key.revoked", "invoice.ready", "webhook.ping"] | NotGiven = NOT_GIVEN,
        event_id: str | NotGiven = NOT_GIVEN,
        object_id: str | NotGiven = NOT_GIVEN,
        account_id: str | NotGiven = NOT_GIVEN,
        status_code: int | NotGiven = NOT_GIVEN,
        error_class: Literal["address_not_public", "dns_error", "connection_refused", "connection_reset", "connect_timeout", "timeout", "tls_error", "redirect", "http_error", "protocol_error", "internal_error"] | NotGiven = NOT_GIVEN,
        since: str | NotGiven = NOT_GIVEN,
        until: str | NotGiven = NOT_GIVEN,
        webhook_id: str | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        buckets: int | NotGiven = NOT_GIVEN,
    ) -> WebhookDeliveriesHistogramResponse:
        """
        Count the deliveries of the organization over time.

        Counts the deliveries by the time of their creation, with the filters of the list. By filters that no index covers together, at most the newest 20,000 deliveries are counted.

        GET /webhook-deliveries/histogram

        status: Only deliveries with this status.
        event_type: Only deliveries of events of this type.
        event_id: Only deliveries of this event.
        object_id: Only deliveries of events of this object.
        account_id: Only deliveries of events of this account.
        status_code: Only deliveries whose last attempt got a response with this HTTP status.
        error_class: Only deliveries whose last attempt failed for this reason.
        since: When the first bucket starts. Default: 24 hours before the end of the last one.
        until: When the last bucket ends. Default: now.
        webhook_id: Only deliveries to this endpoint.
        q: Only deliveries that the text stands for: the id of a delivery, an event or an object, or its first 8 characters or more; an event type; or the domain, zone or host name of the event. Case plays no part.
        buckets: The number of buckets, 1 to 120.
        """
        result: WebhookDeliveriesHistogramResponse = self._connection.call(
            "GET",
            "/webhook-deliveries/histogram",
            query=given({"status": status, "event_type": event_type, "event_id": event_id, "object_id": object_id, "account_id": account_id, "status_code": status_code, "error_class": error_class, "since": since, "until": until, "webhook_id": webhook_id, "q": q, "buckets": buckets}),
        )
        return result

    def get(
        self,
        id: str,
    ) -> WebhookDeliveriesGetResponse:
        """
        Get a delivery with its attempts and payload.

        Shows why a delivery failed: each attempt has its time, duration, status and error class. Deliveries are kept for 30 days.

        GET /webhook-deliveries/{id}
        """
        result: WebhookDeliveriesGetResponse = self._connection.call(
            "GET",
            path_of("/webhook-deliveries/{id}", id=id),
        )
        return result

    def redeliver(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
    ) -> WebhookDeliveriesRedeliverResponse:
        """
        Redeliver an event.

        Creates a new delivery of the same event to the same endpoint, with its own id and retries. If the endpoint is disabled, the delivery waits.

        POST /webhook-deliveries/{id}/redeliver

        idempotency_key: the Idempotency-Key; by default, a new one for each call.
        """
        result: WebhookDeliveriesRedeliverResponse = self._connection.call(
            "POST",
            path_of("/webhook-deliveries/{id}/redeliver", id=id),
            idempotency_key=idempotency_key,
        )
        return result

    def retry_now(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
    ) -> WebhookDeliveriesRetryNowResponse:
        """
        Retry a delivery now.

        Makes the next attempt of a delivery due now that is `waiting_retry`. If it fails too, the later attempts follow the retry schedule.

        POST /webhook-deliveries/{id}/retry-now

        idempotency_key: the Idempotency-Key; by default, a new one for each call.
        """
        result: WebhookDeliveriesRetryNowResponse = self._connection.call(
            "POST",
            path_of("/webhook-deliveries/{id}/retry-now", id=id),
            idempotency_key=idempotency_key,
        )
        return result


class EventsGroup(Followable):
    """`client.events`"""

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        since: str | NotGiven = NOT_GIVEN,
        types: str | NotGiven = NOT_GIVEN,
        account_id: str | NotGiven = NOT_GIVEN,
        object_id: str | NotGiven = NOT_GIVEN,
        format: Literal["csv", "jsonl"] | NotGiven = NOT_GIVEN,
    ) -> Pages[Event]:
        """
        Read the event log.

        Every event of the organization that was accepted in the last 30 days, oldest first, whether or not an endpoint subscribes to it. Store `next_cursor` and continue with it, also later: it returns every event that follows, once. If few events match the filters, a page may contain fewer items than `limit`, or none. You have reached the present end when a page is empty and its `next_cursor` is the `cursor` of the request. `webhook.ping` and test events are not in the log.

        GET /events

        limit: The most items of a page, 1 to 1,000. Default: 100, or all records of an export.
        cursor: The `next_cursor` of an earlier page, whatever its filters. A cursor from before the log is refused.
        since: Starts with the events whose `created_at` is at or after this time; instead of `cursor`. Events that are accepted after this request follow whatever their `created_at`. Default: the oldest event of the log.
        types: Only events that match one of these patterns: `*`, `<resource>.*` or event types, 1 to 20, separated by commas.
        account_id: Only events of this account.
        object_id: Only events of this object.
        format: Exports the list as a file instead of a page: up to 100,000 records, or `limit` of them, after `cursor` if it is given. The first line of `csv` has the names of the columns; values that begin with `=`, `+`, `-`, `@`, tab or carriage return are prefixed by `'`. `jsonl` has a record in each line. If more is left, the header `X-Next-Cursor` has its `cursor`. You can run one export at a time.
        """
        path = "/events"
        return Pages(
            lambda query: self._connection.call("GET", path, query=query),
            given({"limit": limit, "cursor": cursor, "since": since, "types": types, "account_id": account_id, "object_id": object_id, "format": format}),
        )

    def histogram(
        self,
        *,
        types: str | NotGiven = NOT_GIVEN,
        account_id: str | NotGiven = NOT_GIVEN,
        object_id: str | NotGiven = NOT_GIVEN,
        since: str | NotGiven = NOT_GIVEN,
        until: str | NotGiven = NOT_GIVEN,
        buckets: int | NotGiven = NOT_GIVEN,
    ) -> EventsHistogramResponse:
        """
        Count the events of the organization over time.

        Counts the events of the event log by their `created_at`, with the filters of the log. By `types`, and by an object and an account together, at most the newest 20,000 events are counted.

        GET /events/histogram

        types: Only events that match one of these patterns: `*`, `<resource>.*` or event types, 1 to 20, separated by commas.
        account_id: Only events of this account.
        object_id: Only events of this object.
        since: When the first bucket starts. Default: 24 hours before the end of the last one.
        until: When the last bucket ends. Default: now.
        buckets: The number of buckets, 1 to 120.
        """
        result: EventsHistogramResponse = self._connection.call(
            "GET",
            "/events/histogram",
            query=given({"types": types, "account_id": account_id, "object_id": object_id, "since": since, "until": until, "buckets": buckets}),
        )
        return result

    def get(
        self,
        id: str,
    ) -> EventsGetResponse:
        """
        Get an event with its deliveries.

        Shows what became of an event. Events are kept for 30 days.

        GET /events/{id}
        """
        result: EventsGetResponse = self._connection.call(
            "GET",
            path_of("/events/{id}", id=id),
        )
        return result


class Groups:
    """The groups of the API."""

    def __init__(self, connection: Connection) -> None:
        self.auth = AuthGroup(connection)
        self.tenant = TenantGroup(connection)
        self.api_keys = ApiKeysGroup(connection)
        self.audit_log = AuditLogGroup(connection)
        self.webhooks = WebhooksGroup(connection)
        self.webhook_deliveries = WebhookDeliveriesGroup(connection)
        self.events = EventsGroup(connection)
