// Made by `npm run generate` from the routes of the API, as docs/openapi.json is.
export interface paths {
    "/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the acting user with its roles and permissions, and the key */
        get: operations["auth.me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the session */
        get: operations["auth.session.get"];
        put?: never;
        /**
         * Sign in
         * @description Returns the session as a cookie. After several failures for an account or from an address, further sign-ins are delayed. `Idempotency-Key` is ignored.
         */
        post: operations["auth.session.create"];
        /** Sign out */
        delete: operations["auth.session.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/session/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm your identity
         * @description Required before sensitive operations; a confirmation is valid for 5 minutes. The session gets a new cookie and CSRF token; the old ones stop working immediately. While impersonating, send your own password.
         */
        post: operations["auth.session.confirm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your sessions
         * @description Active sessions only. While impersonating, your own sessions.
         */
        get: operations["auth.sessions.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one of your sessions
         * @description Takes effect from the next request, on every process.
         */
        delete: operations["auth.sessions.revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change your password
         * @description The session gets a new cookie and CSRF token; the old ones stop working immediately. Ends your other sessions, and device logins that are approved but not yet redeemed. Common passwords and your own email address are rejected.
         */
        post: operations["auth.password"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/factors/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enroll an authenticator app
         * @description It is active once its first code is verified; until then you can enroll again.
         */
        post: operations["auth.totp.enrol"];
        /**
         * Remove the authenticator app and its recovery codes
         * @description Also returns 204 if there is none.
         */
        delete: operations["auth.totp.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/factors/totp/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Activate the enrolled authenticator app
         * @description Ends your other sessions.
         */
        post: operations["auth.totp.verify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/impersonation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Impersonate another user of the organization
         * @description The user must be active and human. The session continues as that user, with a new cookie. The audit log records both identities.
         */
        post: operations["auth.impersonation.start"];
        /** Stop impersonating */
        delete: operations["auth.impersonation.stop"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your notices
         * @description Newest first, for 90 days. While impersonating, your own notices.
         */
        get: operations["notices.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notices/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mark notices as read
         * @description Without a body or without `ids`, marks all of your notices. An empty list marks none. Ids of other people are ignored.
         */
        post: operations["notices.read"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/notification-settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get your notification settings
         * @description Which notices you get by email. All are on by default. While impersonating, your own settings.
         */
        get: operations["auth.notification-settings.get"];
        /**
         * Change your notification settings
         * @description Emails that are waiting when their setting is turned off are not sent.
         */
        put: operations["auth.notification-settings.put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/device/code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a device login
         * @description For command-line clients (RFC 8628). Show the person the code and the URL, then poll. An IPv4 address or IPv6 /64 may start 10 device logins per minute and have 5 pending.
         */
        post: operations["auth.device.code"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/device/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Poll a device login
         * @description After approval, one poll returns the key. Before and afterwards the response is 400 with a code from RFC 8628, section 3.5, in `code` and in `error`.
         */
        post: operations["auth.device.token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/device/requests/{user_code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a pending device login
         * @description After five wrong codes within ten minutes, every code gets 429.
         */
        get: operations["auth.device.requests.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/device/requests/{user_code}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve a device login
         * @description The client receives a personal key of the caller, valid for 90 days, or for the maximum lifetime of the key policy if that is less, with the scopes `["*"]` or `["*:read"]`, limited to `accounts` if any are given.
         */
        post: operations["auth.device.requests.approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/device/requests/{user_code}/refuse": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Deny a device login */
        post: operations["auth.device.requests.refuse"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenant/edition": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the organization's edition with its features and limits */
        get: operations["tenant.edition"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenant/key-policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the organization's key policy */
        get: operations["tenant.key-policy"];
        /**
         * Replace the organization's key policy
         * @description Applies when a key is created, rotated or enabled, when its IP allowlist changes, and when a device login is approved. Existing keys keep working; `GET /api-keys?violates_policy=true` lists those that violate the policy.
         */
        put: operations["tenant.put-key-policy"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/scopes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the scopes and the permissions that each covers */
        get: operations["api-keys.scopes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List keys
         * @description Your personal keys. With `apikeys.read` at organization level, also organization keys and the personal keys of everyone in the organization.
         */
        get: operations["api-keys.list"];
        put?: never;
        /**
         * Create a key
         * @description A personal key acts as its user. An organization key acts as a service user with the role admin; creating one needs `apikeys.manage`. A user can have 100 keys that are neither revoked nor expired, and an organization 500.
         */
        post: operations["api-keys.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a key */
        get: operations["api-keys.get"];
        put?: never;
        post?: never;
        /**
         * Revoke a key
         * @description Immediate and permanent. Allowed for the owner of a personal key, and with `apikeys.manage` for any key. Revoking a revoked key returns 204.
         */
        delete: operations["api-keys.revoke"];
        options?: never;
        head?: never;
        /**
         * Update a key
         * @description Allowed for the owner of a personal key, and with `apikeys.manage` for organization keys. The expiry cannot be changed. A disabled key is refused until it is enabled again. With a session, widening or enabling a key needs a confirmation within the last 5 minutes.
         */
        patch: operations["api-keys.update"];
        trace?: never;
    };
    "/api-keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate a key
         * @description Creates a new secret. The id, scopes and settings stay the same. Only its owner can rotate a personal key.
         */
        post: operations["api-keys.rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke the key of a token
         * @description Anyone who has a token can revoke its key, regardless of its scopes: to sign out, or because the token has leaked. Unknown, malformed and wrong tokens also get 204. An IPv4 address or IPv6 /64 may call this 10 times per minute. `Authorization` and cookies are ignored.
         */
        post: operations["auth.revoke"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the daily requests of a key
         * @description The last 30 days in UTC, today first. A request counts on the day it arrived, and its refusal on the day of the response.
         */
        get: operations["api-keys.usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the audit log */
        get: operations["audit-log.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/event-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the event types with the schema and an example of their data */
        get: operations["webhooks.event-types"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/listen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream the organization's events as they are published
         * @description For `hctl listen` and other interactive tools. Events that are published while you are not connected are not sent later, and nothing is retried. The first message is `{"secret"}`, a signing secret for this stream only. Each further message is an event, `{"headers", "body"}`, with the headers and the exact body that an endpoint would receive, signed with that secret. `webhook.ping` goes only to its endpoint. A comment is sent every 15 seconds. If the service ends the stream, the last message is named `end` and contains `{"code", "detail"}`: `restarting`, `interrupted` or `too_slow`, after which you can reconnect, or the code of the problem that a new request would get. A stream ends within 2 seconds after its key or session ends, and never sends events published later. An organization can have 5 streams at a time, of which a key or a person can have 2.
         */
        get: operations["webhooks.listen"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the endpoints */
        get: operations["webhooks.list"];
        put?: never;
        /** Create an endpoint */
        post: operations["webhooks.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an endpoint */
        get: operations["webhooks.get"];
        put?: never;
        post?: never;
        /**
         * Delete an endpoint
         * @description Its waiting deliveries become `dead`. Its history stays readable for 30 days.
         */
        delete: operations["webhooks.delete"];
        options?: never;
        head?: never;
        /**
         * Update, disable or enable an endpoint
         * @description Disabling an endpoint pauses its deliveries; enabling resumes them. Omitted members stay unchanged.
         */
        patch: operations["webhooks.update"];
        trace?: never;
    };
    "/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the signing secret of an endpoint
         * @description During the overlap period every delivery carries a signature for each valid secret.
         */
        post: operations["webhooks.rotate-secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a test event to an endpoint */
        post: operations["webhooks.ping"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send an example event of a type to an endpoint */
        post: operations["webhooks.test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the attempts of an endpoint over time */
        get: operations["webhooks.stats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/incidents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the incidents of an endpoint
         * @description Five failed attempts in a row open an incident. The first success closes it, and so does disabling or deleting the endpoint. Incidents, including those of a deleted endpoint, are kept for 30 days after they are closed.
         */
        get: operations["webhooks.incidents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/recover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redeliver all dead deliveries in a time range
         * @description Redelivers the event of every dead delivery created in the time range, unless a redelivery has since succeeded or is pending. An endpoint can have one running recovery at a time. `total` counts the first 10,000 dead deliveries and grows with `done` beyond that; at the end both are equal. With `dry_run` nothing is sent; the response contains `total`.
         */
        post: operations["webhooks.recover"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/recoveries/{recovery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the progress of a recovery */
        get: operations["webhooks.recoveries.get"];
        put?: never;
        post?: never;
        /**
         * Cancel a recovery
         * @description Redeliveries that it created are not undone. Cancelling a finished recovery has no effect.
         */
        delete: operations["webhooks.recoveries.cancel"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of an endpoint
         * @description The history of a deleted endpoint stays readable for 30 days. If few deliveries match the filters, a page may contain fewer items than `limit`, or none: continue until `next_cursor` is null.
         */
        get: operations["webhooks.deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook-deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of the organization
         * @description If few deliveries match the filters, a page may contain fewer items than `limit`, or none: continue until `next_cursor` is null.
         */
        get: operations["webhook-deliveries.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook-deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a delivery with its attempts and payload */
        get: operations["webhook-deliveries.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook-deliveries/{id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redeliver an event
         * @description Creates a new delivery of the same event to the same endpoint, with its own id and retries. If the endpoint is disabled, the delivery waits.
         */
        post: operations["webhook-deliveries.redeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A problem document (RFC 9457). */
        Problem: {
            /** @description The page that explains the code. */
            type: string;
            title: string;
            status: number;
            detail: string;
            /** @description The path of the request. */
            instance: string;
            code: string;
            /** @description Equal to `code`, in the 400s of the device login (RFC 8628). */
            error?: string;
            request_id: string;
            /** @description For 422: each member at fault. */
            errors?: {
                /** @description A JSON Pointer (RFC 6901) into the body or the query. */
                pointer: string;
                message: string;
            }[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "auth.me": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: {
                            /** Format: uuid */
                            id: string;
                            name: string;
                            email: string | null;
                            /** @enum {string} */
                            kind: "human" | "service";
                        };
                        tenant: {
                            /** Format: uuid */
                            id: string;
                            slug: string;
                            name: string;
                        };
                        roles: string[];
                        /** @description The permissions of the roles. A key that is limited to accounts has fewer. */
                        permissions: string[];
                        /** @description `"all"`, or the ids of the accounts that the caller can access. A key that is limited to accounts reaches those of them that its user can access. */
                        accounts: "all" | string[];
                        key: {
                            id: string;
                            name: string;
                            /** @enum {string} */
                            kind: "personal" | "organization";
                            /** @enum {string} */
                            source: "panel" | "api" | "device";
                            scopes: string[];
                            /**
                             * @description If several apply, the first of `revoked`, `expired` and `disabled`.
                             * @enum {string}
                             */
                            status: "active" | "disabled" | "expired" | "revoked";
                            /** Format: date-time */
                            expires_at: string | null;
                            ip_allowlist: string[] | null;
                            rate_limit_per_minute: number;
                            enabled: boolean;
                            /** @description The ids of the accounts that the key is limited to; null if it is not limited. */
                            accounts: string[] | null;
                            /** @description The id of the key that created it. */
                            parent_key_id: string | null;
                            user: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                            };
                            created_by: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                            } | null;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            updated_at: string;
                            /** Format: date-time */
                            rotated_at: string | null;
                            /** Format: date-time */
                            previous_secret_expires_at: string | null;
                            /** Format: date-time */
                            revoked_at: string | null;
                            /** Format: date-time */
                            last_used_at: string | null;
                            last_used_ip: string | null;
                            requests_today: number;
                        } | null;
                    };
                };
            };
        };
    };
    "auth.session.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: {
                            /** Format: uuid */
                            id: string;
                            name: string;
                            email: string | null;
                            /** @enum {string} */
                            kind: "human" | "service";
                        };
                        tenant: {
                            /** Format: uuid */
                            id: string;
                            slug: string;
                            name: string;
                        };
                        /** @description Send it with every write in the `X-CSRF-Token` header. Null in a replayed response. */
                        csrf_token: string | null;
                        /** Format: date-time */
                        confirmed_at: string;
                        /**
                         * Format: date-time
                         * @description When the session expires unless it is used again.
                         */
                        expires_at: string;
                        /** @description The person who impersonates the user; null without impersonation. */
                        impersonator: {
                            /** Format: uuid */
                            id: string;
                            name: string;
                        } | null;
                    };
                };
            };
        };
    };
    "auth.session.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    email: string;
                    password: string;
                    /** @description The current code of the authenticator app, or a recovery code. */
                    totp_code?: string;
                };
            };
        };
        responses: {
            /** @description Signed in, with the cookie. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: {
                            /** Format: uuid */
                            id: string;
                            name: string;
                            email: string | null;
                            /** @enum {string} */
                            kind: "human" | "service";
                        };
                        tenant: {
                            /** Format: uuid */
                            id: string;
                            slug: string;
                            name: string;
                        };
                        /** @description Send it with every write in the `X-CSRF-Token` header. Null in a replayed response. */
                        csrf_token: string | null;
                        /** Format: date-time */
                        confirmed_at: string;
                        /**
                         * Format: date-time
                         * @description When the session expires unless it is used again.
                         */
                        expires_at: string;
                        /** @description The person who impersonates the user; null without impersonation. */
                        impersonator: {
                            /** Format: uuid */
                            id: string;
                            name: string;
                        } | null;
                    };
                };
            };
        };
    };
    "auth.session.delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
                /** @description Needed with a session: the session's `csrf_token`. */
                "X-CSRF-Token"?: string;
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed out; the cookie is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "auth.session.confirm": {
        parameters: {
            query?: never;
            header?: {
                /** @description Needed with a session: the session's `csrf_token`. */
                "X-CSRF-Token"?: string;
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    password: string;
                    /** @description The current code of the authenticator app. */
                    totp_code?: string;
                };
            };
        };
        responses: {
            /** @description Confirmed, with a new cookie. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: {
                            /** Format: uuid */
                            id: string;
                            name: string;
                            email: string | null;
                            /** @enum {string} */
                            kind: "human" | "service";
                        };
                        tenant: {
                            /** Format: uuid */
                            id: string;
                            slug: string;
                            name: string;
                        };
                        /** @description Send it with every write in the `X-CSRF-Token` header. Null in a replayed response. */
                        csrf_token: string | null;
                        /** Format: date-time */
                        confirmed_at: string;
                        /**
                         * Format: date-time
                         * @description When the session expires unless it is used again.
                         */
                        expires_at: string;
                        /** @description The person who impersonates the user; null without impersonation. */
                        impersonator: {
                            /** Format: uuid */
                            id: string;
                            name: string;
                        } | null;
                    };
                };
            };
        };
    };
    "auth.sessions.list": {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of sessions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** Format: uuid */
                            id: string;
                            ip: string;
                            user_agent: string;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            last_seen_at: string;
                            /** Format: date-time */
                            expires_at: string;
                            current: boolean;
                        }[];
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    "auth.sessions.revoke": {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
                /** @description Needed with a session: the session's `csrf_token`. */
                "X-CSRF-Token"?: string;
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "auth.password": {
        parameters: {
            query?: never;
            header?: {
                /** @description Needed with a session: the session's `csrf_token`. */
                "X-CSRF-Token"?: string;
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    new_password: string;
                };
            };
        };
        responses: {
            /** @description The password is changed, and the session has a new cookie. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "auth.totp.enrol": {
        parameters: {
            query?: never;
            header?: {
                /** @description Needed with a session: the session's `csrf_token`. */
                "X-CSRF-Token"?: string;
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The URI for the authenticator app, usually shown as a QR code. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description An `otpauth:` URI with the seed. It is returned only once. Null in a replayed response. */
                        otpauth_uri: string | null;
                    };
                };
            };
        };
    };
    "auth.totp.remove": {
        parameters: {
            query?: never;
            header?: {
                /** @description Needed with a session: the session's `csrf_token`. */
                "X-CSRF-Token"?: string;
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description There is no authenticator app. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "auth.totp.verify": {
        parameters: {
            query?: never;
            header?: {
                /** @description Needed with a session: the session's `csrf_token`. */
                "X-CSRF-Token"?: string;
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The current code of the authenticator app. */
                    totp_code: string;
                };
            };
        };
        responses: {
            /** @description Activated. Each recovery code can be used once instead of an authenticator code at sign-in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Returned only once. Null in a replayed response. */
                        recovery_codes: string[] | null;
                    };
                };
            };
        };
    };
    "auth.impersonation.start": {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
                /** @description Needed with a session: the session's `csrf_token`. */
                "X-CSRF-Token"?: string;
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    user_id: string;
                };
            };
        };
        responses: {
            /** @description The session now acts as the user. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: {
                            /** Format: uuid */
                            id: string;
                            name: string;
                            email: string | null;
                            /** @enum {string} */
                            kind: "human" | "service";
                        };
                        tenant: {
                            /** Format: uuid */
                            id: string;
                            slug: string;
                            name: string;
                        };
                        /** @description Send it with every write in the `X-CSRF-Token` header. Null in a replayed response. */
                        csrf_token: string | null;
                        /** Format: date-time */
                        confirmed_at: string;
                        /**
                         * Format: date-time
                         * @description When the session expires unless it is used again.
                         */
                        expires_at: string;
                        /** @description The person who impersonates the user; null without impersonation. */
                        impersonator: {
                            /** Format: uuid */
                            id: string;
                            name: string;
                        } | null;
                    };
                };
            };
        };
    };
    "auth.impersonation.stop": {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
                /** @description Needed with a session: the session's `csrf_token`. */
                "X-CSRF-Token"?: string;
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session acts as you again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: {
                            /** Format: uuid */
                            id: string;
                            name: string;
                            email: string | null;
                            /** @enum {string} */
                            kind: "human" | "service";
                        };
                        tenant: {
                            /** Format: uuid */
                            id: string;
                            slug: string;
                            name: string;
                        };
                        /** @description Send it with every write in the `X-CSRF-Token` header. Null in a replayed response. */
                        csrf_token: string | null;
                        /** Format: date-time */
                        confirmed_at: string;
                        /**
                         * Format: date-time
                         * @description When the session expires unless it is used again.
                         */
                        expires_at: string;
                        /** @description The person who impersonates the user; null without impersonation. */
                        impersonator: {
                            /** Format: uuid */
                            id: string;
                            name: string;
                        } | null;
                    };
                };
            };
        };
    };
    "notices.list": {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                unread?: "true" | "false";
            };
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of notices. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            type: "webhook.failing" | "webhook.recovered" | "webhook.disabled" | "api_key.expiring" | "api_key.created" | "sign_in.new_device";
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            read_at: string | null;
                            /** @description One line. */
                            title: string;
                            text: string;
                            subject: {
                                /** @enum {string} */
                                type: "webhook" | "api_key" | "session";
                                id: string;
                                name: string;
                            };
                            /** @description The page of the panel that shows the subject. */
                            path: string;
                        }[];
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    "notices.read": {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
                /** @description Needed with a session: the session's `csrf_token`. */
                "X-CSRF-Token"?: string;
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    ids?: string[];
                };
            };
        };
        responses: {
            /** @description The notices are read. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "auth.notification-settings.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The settings. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        email: {
                            /** @description Notices of types `webhook.*`. */
                            webhooks: boolean;
                            /** @description Notices of types `api_key.*`. */
                            api_keys: boolean;
                            /** @description Notices of types `sign_in.*`. */
                            security: boolean;
                        };
                    };
                };
            };
        };
    };
    "auth.notification-settings.put": {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
                /** @description Needed with a session: the session's `csrf_token`. */
                "X-CSRF-Token"?: string;
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    email: {
                        /** @description Notices of types `webhook.*`. */
                        webhooks: boolean;
                        /** @description Notices of types `api_key.*`. */
                        api_keys: boolean;
                        /** @description Notices of types `sign_in.*`. */
                        security: boolean;
                    };
                };
            };
        };
        responses: {
            /** @description The settings. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        email: {
                            /** @description Notices of types `webhook.*`. */
                            webhooks: boolean;
                            /** @description Notices of types `api_key.*`. */
                            api_keys: boolean;
                            /** @description Notices of types `sign_in.*`. */
                            security: boolean;
                        };
                    };
                };
            };
        };
    };
    "auth.device.code": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Shown to the person and used as the name of the key. 1 to 64 characters after trimming, at least one of them visible, without control, format or invisible characters. */
                    client_name: string;
                };
            };
        };
        responses: {
            /** @description The codes. They are returned only once. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        device_code: string;
                        user_code: string;
                        verification_uri: string;
                        verification_uri_complete: string;
                        /** @description Lifetime of the codes in seconds. */
                        expires_in: number;
                        /** @description Minimum time between polls in seconds. */
                        interval: number;
                    };
                };
            };
        };
    };
    "auth.device.token": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    device_code: string;
                };
            };
        };
        responses: {
            /** @description The key and its token, which is returned only once. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        token: string;
                        key: {
                            id: string;
                            name: string;
                            /** @enum {string} */
                            kind: "personal" | "organization";
                            /** @enum {string} */
                            source: "panel" | "api" | "device";
                            scopes: string[];
                            /**
                             * @description If several apply, the first of `revoked`, `expired` and `disabled`.
                             * @enum {string}
                             */
                            status: "active" | "disabled" | "expired" | "revoked";
                            /** Format: date-time */
                            expires_at: string | null;
                            ip_allowlist: string[] | null;
                            rate_limit_per_minute: number;
                            enabled: boolean;
                            /** @description The ids of the accounts that the key is limited to; null if it is not limited. */
                            accounts: string[] | null;
                            /** @description The id of the key that created it. */
                            parent_key_id: string | null;
                            user: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                            };
                            created_by: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                            } | null;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            updated_at: string;
                            /** Format: date-time */
                            rotated_at: string | null;
                            /** Format: date-time */
                            previous_secret_expires_at: string | null;
                            /** Format: date-time */
                            revoked_at: string | null;
                            /** Format: date-time */
                            last_used_at: string | null;
                            last_used_ip: string | null;
                            requests_today: number;
                        };
                        tenant: {
                            slug: string;
                            name: string;
                        };
                        user: {
                            /** Format: uuid */
                            id: string;
                            name: string;
                            email: string | null;
                            /** @enum {string} */
                            kind: "human" | "service";
                        };
                    };
                };
            };
        };
    };
    "auth.device.requests.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                user_code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The device login. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        request: {
                            client_name: string;
                            ip: string;
                            user_agent: string;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            expires_at: string;
                            /** @enum {string} */
                            status: "pending" | "approved" | "denied" | "delivered" | "expired";
                        };
                    };
                };
            };
        };
    };
    "auth.device.requests.approve": {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
                /** @description Needed with a session: the session's `csrf_token`. */
                "X-CSRF-Token"?: string;
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                user_code: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    access: "full" | "read_only";
                    /** @description Limits the key to these accounts, as if they were the only ones assigned to its user; null for no limit. */
                    accounts?: string[] | null;
                };
            };
        };
        responses: {
            /** @description The approved device login. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        request: {
                            client_name: string;
                            ip: string;
                            user_agent: string;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            expires_at: string;
                            /** @enum {string} */
                            status: "pending" | "approved" | "denied" | "delivered" | "expired";
                        };
                    };
                };
            };
        };
    };
    "auth.device.requests.refuse": {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
                /** @description Needed with a session: the session's `csrf_token`. */
                "X-CSRF-Token"?: string;
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                user_code: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The denied device login. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        request: {
                            client_name: string;
                            ip: string;
                            user_agent: string;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            expires_at: string;
                            /** @enum {string} */
                            status: "pending" | "approved" | "denied" | "delivered" | "expired";
                        };
                    };
                };
            };
        };
    };
    "tenant.edition": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The edition. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        edition: string;
                        features: string[];
                        limits: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
        };
    };
    "tenant.key-policy": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The policy. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        policy: {
                            /** @description The longest time from `created_at` to `expires_at`. Null: no limit. */
                            max_lifetime_days: number | null;
                            /** @description Whether every key needs an IP allowlist. */
                            ip_allowlist_required: boolean;
                            /** @description Whether keys of kind `personal` are allowed, including those of device logins. */
                            personal_keys_allowed: boolean;
                        };
                    };
                };
            };
        };
    };
    "tenant.put-key-policy": {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
                /** @description Needed with a session: the session's `csrf_token`. */
                "X-CSRF-Token"?: string;
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The longest time from `created_at` to `expires_at`. Null: no limit. */
                    max_lifetime_days: number | null;
                    /** @description Whether every key needs an IP allowlist. */
                    ip_allowlist_required: boolean;
                    /** @description Whether keys of kind `personal` are allowed, including those of device logins. */
                    personal_keys_allowed: boolean;
                };
            };
        };
        responses: {
            /** @description The new policy. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        policy: {
                            /** @description The longest time from `created_at` to `expires_at`. Null: no limit. */
                            max_lifetime_days: number | null;
                            /** @description Whether every key needs an IP allowlist. */
                            ip_allowlist_required: boolean;
                            /** @description Whether keys of kind `personal` are allowed, including those of device logins. */
                            personal_keys_allowed: boolean;
                        };
                    };
                };
            };
        };
    };
    "api-keys.scopes": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All scopes. `resource` and `access` are null for scopes that are not limited to one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            scope: string;
                            resource: string | null;
                            access: string | null;
                            permissions: string[];
                        }[];
                    };
                };
            };
        };
    };
    "api-keys.list": {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                kind?: "personal" | "organization";
                status?: "active" | "disabled" | "expired" | "revoked";
                q?: string;
                user_id?: string;
                revoked?: "false";
                violates_policy?: "true";
            };
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            id: string;
                            name: string;
                            /** @enum {string} */
                            kind: "personal" | "organization";
                            /** @enum {string} */
                            source: "panel" | "api" | "device";
                            scopes: string[];
                            /**
                             * @description If several apply, the first of `revoked`, `expired` and `disabled`.
                             * @enum {string}
                             */
                            status: "active" | "disabled" | "expired" | "revoked";
                            /** Format: date-time */
                            expires_at: string | null;
                            ip_allowlist: string[] | null;
                            rate_limit_per_minute: number;
                            enabled: boolean;
                            /** @description The ids of the accounts that the key is limited to; null if it is not limited. */
                            accounts: string[] | null;
                            /** @description The id of the key that created it. */
                            parent_key_id: string | null;
                            user: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                            };
                            created_by: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                            } | null;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            updated_at: string;
                            /** Format: date-time */
                            rotated_at: string | null;
                            /** Format: date-time */
                            previous_secret_expires_at: string | null;
                            /** Format: date-time */
                            revoked_at: string | null;
                            /** Format: date-time */
                            last_used_at: string | null;
                            last_used_ip: string | null;
                            requests_today: number;
                        }[];
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    "api-keys.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
                /** @description Needed with a session: the session's `csrf_token`. */
                "X-CSRF-Token"?: string;
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @description `<resource>:read`, `<resource>:write`, `*:read` or `*`. */
                    scopes: string[];
                    /** @enum {string} */
                    kind?: "personal" | "organization";
                    /** Format: date-time */
                    expires_at?: string | null;
                    /** @description IP addresses or CIDR ranges that may use the key, without host bits; null for all. */
                    ip_allowlist?: (string)[] | null;
                    /** @description Limits the key to these accounts, as if they were the only ones assigned to its user; null for no limit. */
                    accounts?: string[] | null;
                    rate_limit_per_minute?: number;
                };
            };
        };
        responses: {
            /** @description The key and its token. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        key: {
                            id: string;
                            name: string;
                            /** @enum {string} */
                            kind: "personal" | "organization";
                            /** @enum {string} */
                            source: "panel" | "api" | "device";
                            scopes: string[];
                            /**
                             * @description If several apply, the first of `revoked`, `expired` and `disabled`.
                             * @enum {string}
                             */
                            status: "active" | "disabled" | "expired" | "revoked";
                            /** Format: date-time */
                            expires_at: string | null;
                            ip_allowlist: string[] | null;
                            rate_limit_per_minute: number;
                            enabled: boolean;
                            /** @description The ids of the accounts that the key is limited to; null if it is not limited. */
                            accounts: string[] | null;
                            /** @description The id of the key that created it. */
                            parent_key_id: string | null;
                            user: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                            };
                            created_by: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                            } | null;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            updated_at: string;
                            /** Format: date-time */
                            rotated_at: string | null;
                            /** Format: date-time */
                            previous_secret_expires_at: string | null;
                            /** Format: date-time */
                            revoked_at: string | null;
                            /** Format: date-time */
                            last_used_at: string | null;
                            last_used_ip: string | null;
                            requests_today: number;
                        };
                        /** @description The full token. It is returned only once. Null in a replayed response. */
                        token: string | null;
                    };
                };
            };
        };
    };
    "api-keys.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        key: {
                            id: string;
                            name: string;
                            /** @enum {string} */
                            kind: "personal" | "organization";
                            /** @enum {string} */
                            source: "panel" | "api" | "device";
                            scopes: string[];
                            /**
                             * @description If several apply, the first of `revoked`, `expired` and `disabled`.
                             * @enum {string}
                             */
                            status: "active" | "disabled" | "expired" | "revoked";
                            /** Format: date-time */
                            expires_at: string | null;
                            ip_allowlist: string[] | null;
                            rate_limit_per_minute: number;
                            enabled: boolean;
                            /** @description The ids of the accounts that the key is limited to; null if it is not limited. */
                            accounts: string[] | null;
                            /** @description The id of the key that created it. */
                            parent_key_id: string | null;
                            user: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                            };
                            created_by: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                            } | null;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            updated_at: string;
                            /** Format: date-time */
                            rotated_at: string | null;
                            /** Format: date-time */
                            previous_secret_expires_at: string | null;
                            /** Format: date-time */
                            revoked_at: string | null;
                            /** Format: date-time */
                            last_used_at: string | null;
                            last_used_ip: string | null;
                            requests_today: number;
                        };
                    };
                };
            };
        };
    };
    "api-keys.revoke": {
        parameters: {
            query?: {
                descendants?: "true" | "false";
            };
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
                /** @description Needed with a session: the session's `csrf_token`. */
                "X-CSRF-Token"?: string;
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "api-keys.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
                /** @description Needed with a session: the session's `csrf_token`. */
                "X-CSRF-Token"?: string;
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string;
                    /** @description `<resource>:read`, `<resource>:write`, `*:read` or `*`. */
                    scopes?: string[];
                    /** @description IP addresses or CIDR ranges that may use the key, without host bits; null for all. */
                    ip_allowlist?: (string)[] | null;
                    /** @description Limits the key to these accounts, as if they were the only ones assigned to its user; null for no limit. */
                    accounts?: string[] | null;
                    enabled?: boolean;
                    rate_limit_per_minute?: number;
                };
            };
        };
        responses: {
            /** @description The updated key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        key: {
                            id: string;
                            name: string;
                            /** @enum {string} */
                            kind: "personal" | "organization";
                            /** @enum {string} */
                            source: "panel" | "api" | "device";
                            scopes: string[];
                            /**
                             * @description If several apply, the first of `revoked`, `expired` and `disabled`.
                             * @enum {string}
                             */
                            status: "active" | "disabled" | "expired" | "revoked";
                            /** Format: date-time */
                            expires_at: string | null;
                            ip_allowlist: string[] | null;
                            rate_limit_per_minute: number;
                            enabled: boolean;
                            /** @description The ids of the accounts that the key is limited to; null if it is not limited. */
                            accounts: string[] | null;
                            /** @description The id of the key that created it. */
                            parent_key_id: string | null;
                            user: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                            };
                            created_by: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                            } | null;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            updated_at: string;
                            /** Format: date-time */
                            rotated_at: string | null;
                            /** Format: date-time */
                            previous_secret_expires_at: string | null;
                            /** Format: date-time */
                            revoked_at: string | null;
                            /** Format: date-time */
                            last_used_at: string | null;
                            last_used_ip: string | null;
                            requests_today: number;
                        };
                    };
                };
            };
        };
    };
    "api-keys.rotate": {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
                /** @description Needed with a session: the session's `csrf_token`. */
                "X-CSRF-Token"?: string;
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The overlap period: how long the current secret stays valid. With 0 or without this member, all old secrets end immediately. */
                    grace_seconds?: number;
                };
            };
        };
        responses: {
            /** @description The key and its new token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        key: {
                            id: string;
                            name: string;
                            /** @enum {string} */
                            kind: "personal" | "organization";
                            /** @enum {string} */
                            source: "panel" | "api" | "device";
                            scopes: string[];
                            /**
                             * @description If several apply, the first of `revoked`, `expired` and `disabled`.
                             * @enum {string}
                             */
                            status: "active" | "disabled" | "expired" | "revoked";
                            /** Format: date-time */
                            expires_at: string | null;
                            ip_allowlist: string[] | null;
                            rate_limit_per_minute: number;
                            enabled: boolean;
                            /** @description The ids of the accounts that the key is limited to; null if it is not limited. */
                            accounts: string[] | null;
                            /** @description The id of the key that created it. */
                            parent_key_id: string | null;
                            user: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                            };
                            created_by: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                            } | null;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            updated_at: string;
                            /** Format: date-time */
                            rotated_at: string | null;
                            /** Format: date-time */
                            previous_secret_expires_at: string | null;
                            /** Format: date-time */
                            revoked_at: string | null;
                            /** Format: date-time */
                            last_used_at: string | null;
                            last_used_ip: string | null;
                            requests_today: number;
                        };
                        /** @description The full token. It is returned only once. Null in a replayed response. */
                        token: string | null;
                    };
                };
            };
        };
    };
    "auth.revoke": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    token: string;
                    /** @description Whether to also revoke every key that was created with it, directly or indirectly. */
                    descendants?: boolean;
                };
            };
        };
        responses: {
            /** @description If the token was valid, its key is revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "api-keys.usage": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One item per day. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** Format: date */
                            date: string;
                            /** @description All requests with a valid secret. */
                            requests: number;
                            /** @description Requests that got a 403. */
                            refused: number;
                            /** @description Requests that got a 429. */
                            rate_limited: number;
                        }[];
                    };
                };
            };
        };
    };
    "audit-log.list": {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                action?: string;
                key_id?: string;
                actor_id?: string;
                since?: string;
                until?: string;
            };
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of audit entries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** Format: uuid */
                            id: string;
                            /** Format: date-time */
                            occurred_at: string;
                            action: string;
                            /** @enum {string} */
                            outcome: "success" | "refused";
                            reason: string | null;
                            actor: {
                                /** @enum {string} */
                                type: "user" | "service_user" | "anonymous" | "system";
                                id: string | null;
                                name: string | null;
                                key_id: string | null;
                            };
                            target: {
                                type: string | null;
                                id: string | null;
                            };
                            ip: string | null;
                            request_id: string | null;
                            details: {
                                [key: string]: unknown;
                            };
                        }[];
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    "webhooks.event-types": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All event types. New ones may be added at any time. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            type: string;
                            resource: string;
                            description: string;
                            deprecated: boolean;
                            reserved: boolean;
                            schema: {
                                [key: string]: unknown;
                            };
                            example: {
                                [key: string]: unknown;
                            } | null;
                        }[];
                    };
                };
            };
        };
    };
    "webhooks.listen": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Server-Sent Events, until you disconnect. The schema is that of one message. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        /** @description Absent means `message`. */
                        event?: "message" | "end";
                        /** @description JSON */
                        data: string;
                    };
                };
            };
        };
    };
    "webhooks.list": {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of endpoints. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** Format: uuid */
                            id: string;
                            url: string;
                            events: string[];
                            description: string | null;
                            enabled: boolean;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            updated_at: string;
                            /** Format: date-time */
                            disabled_at: string | null;
                            /** Format: date-time */
                            secret_rotated_at: string | null;
                            /** Format: date-time */
                            previous_secret_expires_at: string | null;
                            /** Format: date-time */
                            last_success_at: string | null;
                            /** Format: date-time */
                            last_failure_at: string | null;
                            /** @description 10000 means 10000 or more. */
                            waiting_deliveries: number;
                            /**
                             * @description `failing`: by `disable_after_failing_hours`. Null while enabled.
                             * @enum {unknown}
                             */
                            disabled_reason: "manual" | "failing" | null;
                            rate_limit_per_second: number | null;
                            disable_after_failing_hours: number | null;
                            /** @description The names of the custom headers, in lower case, sorted. Values are not returned. */
                            header_names: string[];
                            /** @description Whether each attempt also carries the headers of Standard Webhooks. */
                            standard_webhooks: boolean;
                            health: {
                                /**
                                 * @description `failing` from the fifth failed attempt in a row until a success. `unknown` until the first success since the endpoint was created or enabled.
                                 * @enum {string}
                                 */
                                state: "unknown" | "healthy" | "failing";
                                /** Format: date-time */
                                failing_since: string | null;
                                consecutive_failures: number;
                                last_status_code: number | null;
                                /** @enum {unknown} */
                                last_error_class: "address_not_public" | "dns_error" | "connection_refused" | "connection_reset" | "connect_timeout" | "timeout" | "tls_error" | "redirect" | "http_error" | "protocol_error" | "internal_error" | null;
                            };
                        }[];
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    "webhooks.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
                /** @description Needed with a session: the session's `csrf_token`. */
                "X-CSRF-Token"?: string;
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: uri
                     * @description HTTPS to a public address. No credentials, no fragment; at most 2,048 characters.
                     */
                    url: string;
                    /** @description Patterns: `*`, `<resource>.*` or an exact event type. */
                    events: string[];
                    description?: string | null;
                    enabled?: boolean;
                    /** @description The maximum number of attempts per second to the endpoint. Further deliveries wait without using up an attempt. Null: no limit. */
                    rate_limit_per_second?: number | null;
                    /** @description Disables the endpoint when an incident has been open for this long. Its deliveries wait until it is enabled. Null: never. */
                    disable_after_failing_hours?: number | null;
                    /** @description Custom headers, which every attempt carries: values by name. They are stored encrypted and never returned. An update replaces all; null or `{}` removes all. */
                    headers?: {
                        [key: string]: string;
                    } | null;
                    /** @description Whether each attempt also carries `webhook-id`, `webhook-timestamp` and `webhook-signature`, as Standard Webhooks defines them. */
                    standard_webhooks?: boolean;
                };
            };
        };
        responses: {
            /** @description The endpoint and its signing secret, which is returned only once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhook: {
                            /** Format: uuid */
                            id: string;
                            url: string;
                            events: string[];
                            description: string | null;
                            enabled: boolean;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            updated_at: string;
                            /** Format: date-time */
                            disabled_at: string | null;
                            /** Format: date-time */
                            secret_rotated_at: string | null;
                            /** Format: date-time */
                            previous_secret_expires_at: string | null;
                            /** Format: date-time */
                            last_success_at: string | null;
                            /** Format: date-time */
                            last_failure_at: string | null;
                            /** @description 10000 means 10000 or more. */
                            waiting_deliveries: number;
                            /**
                             * @description `failing`: by `disable_after_failing_hours`. Null while enabled.
                             * @enum {unknown}
                             */
                            disabled_reason: "manual" | "failing" | null;
                            rate_limit_per_second: number | null;
                            disable_after_failing_hours: number | null;
                            /** @description The names of the custom headers, in lower case, sorted. Values are not returned. */
                            header_names: string[];
                            /** @description Whether each attempt also carries the headers of Standard Webhooks. */
                            standard_webhooks: boolean;
                            health: {
                                /**
                                 * @description `failing` from the fifth failed attempt in a row until a success. `unknown` until the first success since the endpoint was created or enabled.
                                 * @enum {string}
                                 */
                                state: "unknown" | "healthy" | "failing";
                                /** Format: date-time */
                                failing_since: string | null;
                                consecutive_failures: number;
                                last_status_code: number | null;
                                /** @enum {unknown} */
                                last_error_class: "address_not_public" | "dns_error" | "connection_refused" | "connection_reset" | "connect_timeout" | "timeout" | "tls_error" | "redirect" | "http_error" | "protocol_error" | "internal_error" | null;
                            };
                        };
                        /** @description The signing secret. It is returned only once. Null in a replayed response. */
                        secret: string | null;
                    };
                };
            };
        };
    };
    "webhooks.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhook: {
                            /** Format: uuid */
                            id: string;
                            url: string;
                            events: string[];
                            description: string | null;
                            enabled: boolean;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            updated_at: string;
                            /** Format: date-time */
                            disabled_at: string | null;
                            /** Format: date-time */
                            secret_rotated_at: string | null;
                            /** Format: date-time */
                            previous_secret_expires_at: string | null;
                            /** Format: date-time */
                            last_success_at: string | null;
                            /** Format: date-time */
                            last_failure_at: string | null;
                            /** @description 10000 means 10000 or more. */
                            waiting_deliveries: number;
                            /**
                             * @description `failing`: by `disable_after_failing_hours`. Null while enabled.
                             * @enum {unknown}
                             */
                            disabled_reason: "manual" | "failing" | null;
                            rate_limit_per_second: number | null;
                            disable_after_failing_hours: number | null;
                            /** @description The names of the custom headers, in lower case, sorted. Values are not returned. */
                            header_names: string[];
                            /** @description Whether each attempt also carries the headers of Standard Webhooks. */
                            standard_webhooks: boolean;
                            health: {
                                /**
                                 * @description `failing` from the fifth failed attempt in a row until a success. `unknown` until the first success since the endpoint was created or enabled.
                                 * @enum {string}
                                 */
                                state: "unknown" | "healthy" | "failing";
                                /** Format: date-time */
                                failing_since: string | null;
                                consecutive_failures: number;
                                last_status_code: number | null;
                                /** @enum {unknown} */
                                last_error_class: "address_not_public" | "dns_error" | "connection_refused" | "connection_reset" | "connect_timeout" | "timeout" | "tls_error" | "redirect" | "http_error" | "protocol_error" | "internal_error" | null;
                            };
                        };
                    };
                };
            };
        };
    };
    "webhooks.delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
                /** @description Needed with a session: the session's `csrf_token`. */
                "X-CSRF-Token"?: string;
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
                /** @description Needed with a session: the session's `csrf_token`. */
                "X-CSRF-Token"?: string;
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: uri
                     * @description HTTPS to a public address. No credentials, no fragment; at most 2,048 characters.
                     */
                    url?: string;
                    /** @description Patterns: `*`, `<resource>.*` or an exact event type. */
                    events?: string[];
                    description?: string | null;
                    enabled?: boolean;
                    /** @description The maximum number of attempts per second to the endpoint. Further deliveries wait without using up an attempt. Null: no limit. */
                    rate_limit_per_second?: number | null;
                    /** @description Disables the endpoint when an incident has been open for this long. Its deliveries wait until it is enabled. Null: never. */
                    disable_after_failing_hours?: number | null;
                    /** @description Custom headers, which every attempt carries: values by name. They are stored encrypted and never returned. An update replaces all; null or `{}` removes all. */
                    headers?: {
                        [key: string]: string;
                    } | null;
                    /** @description Whether each attempt also carries `webhook-id`, `webhook-timestamp` and `webhook-signature`, as Standard Webhooks defines them. */
                    standard_webhooks?: boolean;
                };
            };
        };
        responses: {
            /** @description The updated endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhook: {
                            /** Format: uuid */
                            id: string;
                            url: string;
                            events: string[];
                            description: string | null;
                            enabled: boolean;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            updated_at: string;
                            /** Format: date-time */
                            disabled_at: string | null;
                            /** Format: date-time */
                            secret_rotated_at: string | null;
                            /** Format: date-time */
                            previous_secret_expires_at: string | null;
                            /** Format: date-time */
                            last_success_at: string | null;
                            /** Format: date-time */
                            last_failure_at: string | null;
                            /** @description 10000 means 10000 or more. */
                            waiting_deliveries: number;
                            /**
                             * @description `failing`: by `disable_after_failing_hours`. Null while enabled.
                             * @enum {unknown}
                             */
                            disabled_reason: "manual" | "failing" | null;
                            rate_limit_per_second: number | null;
                            disable_after_failing_hours: number | null;
                            /** @description The names of the custom headers, in lower case, sorted. Values are not returned. */
                            header_names: string[];
                            /** @description Whether each attempt also carries the headers of Standard Webhooks. */
                            standard_webhooks: boolean;
                            health: {
                                /**
                                 * @description `failing` from the fifth failed attempt in a row until a success. `unknown` until the first success since the endpoint was created or enabled.
                                 * @enum {string}
                                 */
                                state: "unknown" | "healthy" | "failing";
                                /** Format: date-time */
                                failing_since: string | null;
                                consecutive_failures: number;
                                last_status_code: number | null;
                                /** @enum {unknown} */
                                last_error_class: "address_not_public" | "dns_error" | "connection_refused" | "connection_reset" | "connect_timeout" | "timeout" | "tls_error" | "redirect" | "http_error" | "protocol_error" | "internal_error" | null;
                            };
                        };
                    };
                };
            };
        };
    };
    "webhooks.rotate-secret": {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
                /** @description Needed with a session: the session's `csrf_token`. */
                "X-CSRF-Token"?: string;
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The overlap period: how long the current secret stays valid. With 0 or without this member, all old secrets end immediately. */
                    grace_seconds?: number;
                };
            };
        };
        responses: {
            /** @description The endpoint and its new secret, which is returned only once. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhook: {
                            /** Format: uuid */
                            id: string;
                            url: string;
                            events: string[];
                            description: string | null;
                            enabled: boolean;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            updated_at: string;
                            /** Format: date-time */
                            disabled_at: string | null;
                            /** Format: date-time */
                            secret_rotated_at: string | null;
                            /** Format: date-time */
                            previous_secret_expires_at: string | null;
                            /** Format: date-time */
                            last_success_at: string | null;
                            /** Format: date-time */
                            last_failure_at: string | null;
                            /** @description 10000 means 10000 or more. */
                            waiting_deliveries: number;
                            /**
                             * @description `failing`: by `disable_after_failing_hours`. Null while enabled.
                             * @enum {unknown}
                             */
                            disabled_reason: "manual" | "failing" | null;
                            rate_limit_per_second: number | null;
                            disable_after_failing_hours: number | null;
                            /** @description The names of the custom headers, in lower case, sorted. Values are not returned. */
                            header_names: string[];
                            /** @description Whether each attempt also carries the headers of Standard Webhooks. */
                            standard_webhooks: boolean;
                            health: {
                                /**
                                 * @description `failing` from the fifth failed attempt in a row until a success. `unknown` until the first success since the endpoint was created or enabled.
                                 * @enum {string}
                                 */
                                state: "unknown" | "healthy" | "failing";
                                /** Format: date-time */
                                failing_since: string | null;
                                consecutive_failures: number;
                                last_status_code: number | null;
                                /** @enum {unknown} */
                                last_error_class: "address_not_public" | "dns_error" | "connection_refused" | "connection_reset" | "connect_timeout" | "timeout" | "tls_error" | "redirect" | "http_error" | "protocol_error" | "internal_error" | null;
                            };
                        };
                        /** @description The signing secret. It is returned only once. Null in a replayed response. */
                        secret: string | null;
                    };
                };
            };
        };
    };
    "webhooks.ping": {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
                /** @description Needed with a session: the session's `csrf_token`. */
                "X-CSRF-Token"?: string;
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The delivery of `webhook.ping`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        delivery: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            webhook_id: string;
                            event: {
                                /** Format: uuid */
                                id: string;
                                type: string;
                                /** Format: date-time */
                                created_at: string;
                            };
                            /** @enum {string} */
                            status: "queued" | "in_flight" | "waiting_retry" | "waiting_endpoint" | "succeeded" | "dead";
                            attempt_count: number;
                            /** Format: date-time */
                            next_attempt_at: string | null;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            completed_at: string | null;
                            /** Format: uuid */
                            redelivery_of: string | null;
                            webhook: {
                                /** Format: uuid */
                                id: string;
                                url: string;
                                description: string | null;
                                deleted: boolean;
                            };
                            last_attempt: {
                                /** Format: uuid */
                                id: string;
                                number: number;
                                /** Format: date-time */
                                started_at: string;
                                duration_ms: number;
                                status_code: number | null;
                                /** @enum {unknown} */
                                error_class: "address_not_public" | "dns_error" | "connection_refused" | "connection_reset" | "connect_timeout" | "timeout" | "tls_error" | "redirect" | "http_error" | "protocol_error" | "internal_error" | null;
                            } | null;
                            attempts: {
                                /** Format: uuid */
                                id: string;
                                number: number;
                                /** Format: date-time */
                                started_at: string;
                                duration_ms: number;
                                status_code: number | null;
                                /** @enum {unknown} */
                                error_class: "address_not_public" | "dns_error" | "connection_refused" | "connection_reset" | "connect_timeout" | "timeout" | "tls_error" | "redirect" | "http_error" | "protocol_error" | "internal_error" | null;
                            }[];
                            payload: {
                                /** Format: uuid */
                                id: string;
                                type: string;
                                /** Format: date-time */
                                created_at: string;
                                /** Format: uuid */
                                tenant_id: string;
                                data: {
                                    [key: string]: unknown;
                                };
                            };
                        };
                    };
                };
            };
        };
    };
    "webhooks.test": {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
                /** @description Needed with a session: the session's `csrf_token`. */
                "X-CSRF-Token"?: string;
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    event_type: "server.enrolled" | "server.revoked" | "account.created" | "account.updated" | "account.deleted" | "site.created" | "site.updated" | "site.tls_updated" | "site.deleted" | "backup.completed" | "backup.failed" | "backup.restored" | "dns.zone_created" | "dns.zone_deleted" | "dns.records_changed" | "database.created" | "database.deleted" | "job.succeeded" | "job.failed" | "alert.firing" | "alert.resolved";
                };
            };
        };
        responses: {
            /** @description The delivery of the example event. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        delivery: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            webhook_id: string;
                            event: {
                                /** Format: uuid */
                                id: string;
                                type: string;
                                /** Format: date-time */
                                created_at: string;
                            };
                            /** @enum {string} */
                            status: "queued" | "in_flight" | "waiting_retry" | "waiting_endpoint" | "succeeded" | "dead";
                            attempt_count: number;
                            /** Format: date-time */
                            next_attempt_at: string | null;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            completed_at: string | null;
                            /** Format: uuid */
                            redelivery_of: string | null;
                            webhook: {
                                /** Format: uuid */
                                id: string;
                                url: string;
                                description: string | null;
                                deleted: boolean;
                            };
                            last_attempt: {
                                /** Format: uuid */
                                id: string;
                                number: number;
                                /** Format: date-time */
                                started_at: string;
                                duration_ms: number;
                                status_code: number | null;
                                /** @enum {unknown} */
                                error_class: "address_not_public" | "dns_error" | "connection_refused" | "connection_reset" | "connect_timeout" | "timeout" | "tls_error" | "redirect" | "http_error" | "protocol_error" | "internal_error" | null;
                            } | null;
                            attempts: {
                                /** Format: uuid */
                                id: string;
                                number: number;
                                /** Format: date-time */
                                started_at: string;
                                duration_ms: number;
                                status_code: number | null;
                                /** @enum {unknown} */
                                error_class: "address_not_public" | "dns_error" | "connection_refused" | "connection_reset" | "connect_timeout" | "timeout" | "tls_error" | "redirect" | "http_error" | "protocol_error" | "internal_error" | null;
                            }[];
                            payload: {
                                /** Format: uuid */
                                id: string;
                                type: string;
                                /** Format: date-time */
                                created_at: string;
                                /** Format: uuid */
                                tenant_id: string;
                                data: {
                                    [key: string]: unknown;
                                };
                            };
                        };
                    };
                };
            };
        };
    };
    "webhooks.stats": {
        parameters: {
            query?: {
                window?: "1h" | "24h" | "7d";
            };
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Attempts by bucket, oldest first, in UTC. Durations are null in buckets without attempts; those of 128 ms and more are rounded by up to 0.8%. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        window: string;
                        buckets: {
                            /** Format: date-time */
                            start: string;
                            succeeded: number;
                            failed: number;
                            p50_ms: number | null;
                            p95_ms: number | null;
                        }[];
                    };
                };
            };
        };
    };
    "webhooks.incidents": {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of incidents. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** Format: uuid */
                            id: string;
                            /** Format: date-time */
                            opened_at: string;
                            /** Format: date-time */
                            closed_at: string | null;
                            /** @enum {unknown} */
                            closed_by: "success" | "disabled" | "deleted" | null;
                            failed_attempts: number;
                            last_status_code: number | null;
                            /** @enum {unknown} */
                            last_error_class: "address_not_public" | "dns_error" | "connection_refused" | "connection_reset" | "connect_timeout" | "timeout" | "tls_error" | "redirect" | "http_error" | "protocol_error" | "internal_error" | null;
                        }[];
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    "webhooks.recover": {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
                /** @description Needed with a session: the session's `csrf_token`. */
                "X-CSRF-Token"?: string;
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: date-time */
                    since: string;
                    /** Format: date-time */
                    until?: string;
                    /** @default false */
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The number of deliveries that a recovery would redeliver, for `dry_run`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        total: number;
                    };
                };
            };
            /** @description The running recovery. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        recovery: {
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            status: "running" | "done" | "cancelled";
                            total: number;
                            done: number;
                        };
                    };
                };
            };
        };
    };
    "webhooks.recoveries.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
                recovery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The recovery. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        recovery: {
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            status: "running" | "done" | "cancelled";
                            total: number;
                            done: number;
                        };
                    };
                };
            };
        };
    };
    "webhooks.recoveries.cancel": {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
                /** @description Needed with a session: the session's `csrf_token`. */
                "X-CSRF-Token"?: string;
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
                recovery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The recovery is not running. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.deliveries": {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                status?: "queued" | "in_flight" | "waiting_retry" | "waiting_endpoint" | "succeeded" | "dead";
                event_type?: "server.enrolled" | "server.revoked" | "account.created" | "account.updated" | "account.deleted" | "site.created" | "site.updated" | "site.tls_updated" | "site.deleted" | "backup.completed" | "backup.failed" | "backup.restored" | "dns.zone_created" | "dns.zone_deleted" | "dns.records_changed" | "database.created" | "database.deleted" | "job.succeeded" | "job.failed" | "alert.firing" | "alert.resolved" | "invoice.ready" | "webhook.ping";
                event_id?: string;
                since?: string;
                until?: string;
            };
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            webhook_id: string;
                            event: {
                                /** Format: uuid */
                                id: string;
                                type: string;
                                /** Format: date-time */
                                created_at: string;
                            };
                            /** @enum {string} */
                            status: "queued" | "in_flight" | "waiting_retry" | "waiting_endpoint" | "succeeded" | "dead";
                            attempt_count: number;
                            /** Format: date-time */
                            next_attempt_at: string | null;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            completed_at: string | null;
                            /** Format: uuid */
                            redelivery_of: string | null;
                            webhook: {
                                /** Format: uuid */
                                id: string;
                                url: string;
                                description: string | null;
                                deleted: boolean;
                            };
                            last_attempt: {
                                /** Format: uuid */
                                id: string;
                                number: number;
                                /** Format: date-time */
                                started_at: string;
                                duration_ms: number;
                                status_code: number | null;
                                /** @enum {unknown} */
                                error_class: "address_not_public" | "dns_error" | "connection_refused" | "connection_reset" | "connect_timeout" | "timeout" | "tls_error" | "redirect" | "http_error" | "protocol_error" | "internal_error" | null;
                            } | null;
                        }[];
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    "webhook-deliveries.list": {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                status?: "queued" | "in_flight" | "waiting_retry" | "waiting_endpoint" | "succeeded" | "dead";
                event_type?: "server.enrolled" | "server.revoked" | "account.created" | "account.updated" | "account.deleted" | "site.created" | "site.updated" | "site.tls_updated" | "site.deleted" | "backup.completed" | "backup.failed" | "backup.restored" | "dns.zone_created" | "dns.zone_deleted" | "dns.records_changed" | "database.created" | "database.deleted" | "job.succeeded" | "job.failed" | "alert.firing" | "alert.resolved" | "invoice.ready" | "webhook.ping";
                event_id?: string;
                since?: string;
                until?: string;
                webhook_id?: string;
                q?: string;
            };
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            webhook_id: string;
                            event: {
                                /** Format: uuid */
                                id: string;
                                type: string;
                                /** Format: date-time */
                                created_at: string;
                            };
                            /** @enum {string} */
                            status: "queued" | "in_flight" | "waiting_retry" | "waiting_endpoint" | "succeeded" | "dead";
                            attempt_count: number;
                            /** Format: date-time */
                            next_attempt_at: string | null;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            completed_at: string | null;
                            /** Format: uuid */
                            redelivery_of: string | null;
                            webhook: {
                                /** Format: uuid */
                                id: string;
                                url: string;
                                description: string | null;
                                deleted: boolean;
                            };
                            last_attempt: {
                                /** Format: uuid */
                                id: string;
                                number: number;
                                /** Format: date-time */
                                started_at: string;
                                duration_ms: number;
                                status_code: number | null;
                                /** @enum {unknown} */
                                error_class: "address_not_public" | "dns_error" | "connection_refused" | "connection_reset" | "connect_timeout" | "timeout" | "tls_error" | "redirect" | "http_error" | "protocol_error" | "internal_error" | null;
                            } | null;
                        }[];
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    "webhook-deliveries.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        delivery: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            webhook_id: string;
                            event: {
                                /** Format: uuid */
                                id: string;
                                type: string;
                                /** Format: date-time */
                                created_at: string;
                            };
                            /** @enum {string} */
                            status: "queued" | "in_flight" | "waiting_retry" | "waiting_endpoint" | "succeeded" | "dead";
                            attempt_count: number;
                            /** Format: date-time */
                            next_attempt_at: string | null;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            completed_at: string | null;
                            /** Format: uuid */
                            redelivery_of: string | null;
                            webhook: {
                                /** Format: uuid */
                                id: string;
                                url: string;
                                description: string | null;
                                deleted: boolean;
                            };
                            last_attempt: {
                                /** Format: uuid */
                                id: string;
                                number: number;
                                /** Format: date-time */
                                started_at: string;
                                duration_ms: number;
                                status_code: number | null;
                                /** @enum {unknown} */
                                error_class: "address_not_public" | "dns_error" | "connection_refused" | "connection_reset" | "connect_timeout" | "timeout" | "tls_error" | "redirect" | "http_error" | "protocol_error" | "internal_error" | null;
                            } | null;
                            attempts: {
                                /** Format: uuid */
                                id: string;
                                number: number;
                                /** Format: date-time */
                                started_at: string;
                                duration_ms: number;
                                status_code: number | null;
                                /** @enum {unknown} */
                                error_class: "address_not_public" | "dns_error" | "connection_refused" | "connection_reset" | "connect_timeout" | "timeout" | "tls_error" | "redirect" | "http_error" | "protocol_error" | "internal_error" | null;
                            }[];
                            payload: {
                                /** Format: uuid */
                                id: string;
                                type: string;
                                /** Format: date-time */
                                created_at: string;
                                /** Format: uuid */
                                tenant_id: string;
                                data: {
                                    [key: string]: unknown;
                                };
                            };
                        };
                    };
                };
            };
        };
    };
    "webhook-deliveries.redeliver": {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
                /** @description Needed with a session: the session's `csrf_token`. */
                "X-CSRF-Token"?: string;
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The new delivery. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        delivery: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            webhook_id: string;
                            event: {
                                /** Format: uuid */
                                id: string;
                                type: string;
                                /** Format: date-time */
                                created_at: string;
                            };
                            /** @enum {string} */
                            status: "queued" | "in_flight" | "waiting_retry" | "waiting_endpoint" | "succeeded" | "dead";
                            attempt_count: number;
                            /** Format: date-time */
                            next_attempt_at: string | null;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            completed_at: string | null;
                            /** Format: uuid */
                            redelivery_of: string | null;
                            webhook: {
                                /** Format: uuid */
                                id: string;
                                url: string;
                                description: string | null;
                                deleted: boolean;
                            };
                            last_attempt: {
                                /** Format: uuid */
                                id: string;
                                number: number;
                                /** Format: date-time */
                                started_at: string;
                                duration_ms: number;
                                status_code: number | null;
                                /** @enum {unknown} */
                                error_class: "address_not_public" | "dns_error" | "connection_refused" | "connection_reset" | "connect_timeout" | "timeout" | "tls_error" | "redirect" | "http_error" | "protocol_error" | "internal_error" | null;
                            } | null;
                            attempts: {
                                /** Format: uuid */
                                id: string;
                                number: number;
                                /** Format: date-time */
                                started_at: string;
                                duration_ms: number;
                                status_code: number | null;
                                /** @enum {unknown} */
                                error_class: "address_not_public" | "dns_error" | "connection_refused" | "connection_reset" | "connect_timeout" | "timeout" | "tls_error" | "redirect" | "http_error" | "protocol_error" | "internal_error" | null;
                            }[];
                            payload: {
                                /** Format: uuid */
                                id: string;
                                type: string;
                                /** Format: date-time */
                                created_at: string;
                                /** Format: uuid */
                                tenant_id: string;
                                data: {
                                    [key: string]: unknown;
                                };
                            };
                        };
                    };
                };
            };
        };
    };
}
