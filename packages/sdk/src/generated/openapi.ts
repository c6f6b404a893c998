// Made by `npm run generate` from the routes of the API, as docs/openapi.json is.
export interface paths {
    "/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the acting user, its roles and permissions, and the key */
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
        /** Show the session */
        get: operations["auth.session.get"];
        put?: never;
        /**
         * Sign in
         * @description Gives the session as a cookie. After several failures of an account or from an address the next try has to wait. `Idempotency-Key` is ignored.
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
         * Confirm who you are
         * @description The step-up before what is delicate; it holds for 5 minutes. The session gets a new cookie and CSRF token, the old ones are dead at once. While impersonating, it is your own password.
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
         * @description Those that are alive. While impersonating, your own.
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
         * @description Its next request is refused, on every process.
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
         * @description The session gets a new cookie and CSRF token; the old ones stop working at once. Ends your other sessions, and device logins that were approved but not redeemed yet. Common passwords and your own e-mail address are refused.
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
         * Enrol an authenticator
         * @description It counts once its first code was verified; until then it may be enrolled anew.
         */
        post: operations["auth.totp.enrol"];
        /**
         * Remove the authenticator and its recovery codes
         * @description Again: 204.
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
         * Activate the enrolled authenticator
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
         * Act as another person of the organization
         * @description An active, human one. The session goes on as theirs with a new cookie; the audit log shows both of you.
         */
        post: operations["auth.impersonation.start"];
        /** Be yourself again */
        delete: operations["auth.impersonation.stop"];
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
         * @description Whoever holds a token may revoke its key, whatever its scopes: to sign out, or when a token has leaked. The answer is 204 for unknown, malformed and wrong tokens too. An IPv4 address or IPv6 /64 may call this 10 times in any minute. `Authorization` and cookies are ignored.
         */
        post: operations["auth.revoke"];
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
         * @description For a command-line client (RFC 8628): show the person the code and the address, and poll. An IPv4 address or IPv6 /64 may start 10 in any minute, and have 5 undecided.
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
         * @description Once it is approved one poll gets the key. Until then, and after, the answer is 400 with a code of RFC 8628, section 3.5, in `code` and in `error`.
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
         * Show a device login to be approved
         * @description After five wrong codes in ten minutes every code is refused with 429.
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
         * @description The client gets a personal key of the caller, valid 90 days, with the scopes `["*"]` or `["*:read"]`.
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
        /** Refuse a device login */
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
        /** Show the organization's edition, its features and limits */
        get: operations["tenant.edition"];
        put?: never;
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
        /** List the scopes with the permissions that each covers */
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
         * @description The own personal keys; with `apikeys.read` at organization level also those of the organization and of everyone in it.
         */
        get: operations["api-keys.list"];
        put?: never;
        /**
         * Make a key
         * @description A personal key acts for its user. A key of the organization acts as a service user of its own, with role admin, and needs `apikeys.manage`.
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
        /** Show a key */
        get: operations["api-keys.get"];
        put?: never;
        post?: never;
        /**
         * Revoke a key
         * @description Immediate and permanent. For the owner of a personal key, and for `apikeys.manage` any key. Again: 204.
         */
        delete: operations["api-keys.revoke"];
        options?: never;
        head?: never;
        /**
         * Change a key
         * @description For the owner of a personal key, and for `apikeys.manage` keys of the organization. The expiry cannot be changed. With a session, widening a key needs a confirmation in the last 5 minutes.
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
         * Give a key a new secret
         * @description A personal key can be rotated by its owner alone. Id, scopes and settings stay.
         */
        post: operations["api-keys.rotate"];
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
         * Show the requests of a key by day
         * @description The last 30 days by UTC, today first.
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
        /** Subscribe an endpoint */
        post: operations["webhooks.create"];
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
         * Listen to the organization's events as they are published
         * @description For `hctl listen` and other tools at hand: what is published while nobody listens is not given later, and nothing is retried. The first message is `{"secret"}`, a signing secret of this stream's own. Each further one is an event, `{"headers", "body"}`, with the headers and the exact body that an endpoint would get, signed with that secret; `webhook.ping` is sent to its endpoint alone. A comment comes every 15 seconds. Where the service ends the stream, the last message has the name `end` and is `{"code", "detail"}`: `restarting`, `interrupted` or `too_slow`, after which you may listen again, or the code of the problem that a new request would get. A stream ends within 2 seconds when its key or session ends, and gives no event published after that. An organization has 5 streams at once, a key or a person 2 of them.
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
    "/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show an endpoint */
        get: operations["webhooks.get"];
        put?: never;
        post?: never;
        /**
         * Delete an endpoint
         * @description Its waiting deliveries end as dead; its history stays readable for 30 days.
         */
        delete: operations["webhooks.delete"];
        options?: never;
        head?: never;
        /**
         * Change, disable or enable an endpoint
         * @description Disabling lets the deliveries of the endpoint wait; enabling lets them go on. What is not named stays as it is.
         */
        patch: operations["webhooks.update"];
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
         * Give an endpoint a new signing secret
         * @description During a grace every delivery carries a signature for each valid secret.
         */
        post: operations["webhooks.rotate-secret"];
        delete?: never;
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
         * @description The history of a deleted endpoint stays readable for its 30 days. A page may hold fewer deliveries than `limit`, or none, where few of many fit the filters: read on until `next_cursor` is null.
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
    "/webhooks/{id}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the attempts of an endpoint over time */
        get: operations["webhooks.stats"];
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
         * Redeliver every dead delivery of a span
         * @description Sends again each event of a dead delivery that was made in the span, unless it has reached the endpoint by a redelivery since or is on its way. One recovery of an endpoint runs at a time. `total` counts the first 10,000 dead deliveries of the span and grows with `done` past them; at the end both are equal. With `dry_run` nothing is sent, and `total` is the answer.
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
        /** Show how far a recovery is */
        get: operations["webhooks.recoveries.get"];
        put?: never;
        post?: never;
        /**
         * Cancel a recovery
         * @description What was redelivered stays so. A recovery that has ended stays as it is.
         */
        delete: operations["webhooks.recoveries.cancel"];
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
         * @description A page may hold fewer deliveries than `limit`, or none, where few of many fit the filters: read on until `next_cursor` is null.
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
        /** Show a delivery with its attempts and payload */
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
         * Send an event to its endpoint again
         * @description A new delivery of the same event, with its own id and retries. To a disabled endpoint it waits.
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
            /** @description Who calls. */
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
                        permissions: string[];
                        /** @description `"all"`, or the ids of the accounts that the user reaches. */
                        accounts: "all" | string[];
                        key: {
                            id: string;
                            name: string;
                            /** @enum {string} */
                            kind: "personal" | "organization";
                            /** @enum {string} */
                            source: "panel" | "api" | "device";
                            scopes: string[];
                            /** @enum {string} */
                            status: "active" | "expired" | "revoked";
                            /** Format: date-time */
                            expires_at: string | null;
                            ip_allowlist: string[] | null;
                            rate_limit_per_minute: number;
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
                        /** @description Goes with every write, in the header `X-CSRF-Token`. Null where an answer is replayed. */
                        csrf_token: string | null;
                        /** Format: date-time */
                        confirmed_at: string;
                        /**
                         * Format: date-time
                         * @description When the session ends if it is not used again.
                         */
                        expires_at: string;
                        /** @description Who acts as the user; null where the user acts. */
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
                    /** @description The current code of the authenticator, or a recovery code. */
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
                        /** @description Goes with every write, in the header `X-CSRF-Token`. Null where an answer is replayed. */
                        csrf_token: string | null;
                        /** Format: date-time */
                        confirmed_at: string;
                        /**
                         * Format: date-time
                         * @description When the session ends if it is not used again.
                         */
                        expires_at: string;
                        /** @description Who acts as the user; null where the user acts. */
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
                /** @description The same key and request within 24 hours give the same answer, and the work is done once. */
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
            /** @description Signed out; the cookie is taken away. */
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
                    /** @description The current code of the authenticator. */
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
                        /** @description Goes with every write, in the header `X-CSRF-Token`. Null where an answer is replayed. */
                        csrf_token: string | null;
                        /** Format: date-time */
                        confirmed_at: string;
                        /**
                         * Format: date-time
                         * @description When the session ends if it is not used again.
                         */
                        expires_at: string;
                        /** @description Who acts as the user; null where the user acts. */
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
                /** @description The same key and request within 24 hours give the same answer, and the work is done once. */
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
            /** @description What the authenticator takes, often as a QR code. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description An `otpauth:` URI with the seed. It is shown here alone. Null where an answer is replayed. */
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
            /** @description There is no authenticator. */
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
                    /** @description The current code of the authenticator. */
                    totp_code: string;
                };
            };
        };
        responses: {
            /** @description It is active. Each recovery code is good once in its place at sign-in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description They are shown here alone. Null where an answer is replayed. */
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
                /** @description The same key and request within 24 hours give the same answer, and the work is done once. */
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
            /** @description You act as the person. */
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
                        /** @description Goes with every write, in the header `X-CSRF-Token`. Null where an answer is replayed. */
                        csrf_token: string | null;
                        /** Format: date-time */
                        confirmed_at: string;
                        /**
                         * Format: date-time
                         * @description When the session ends if it is not used again.
                         */
                        expires_at: string;
                        /** @description Who acts as the user; null where the user acts. */
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
                /** @description The same key and request within 24 hours give the same answer, and the work is done once. */
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
            /** @description You act as yourself. */
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
                        /** @description Goes with every write, in the header `X-CSRF-Token`. Null where an answer is replayed. */
                        csrf_token: string | null;
                        /** Format: date-time */
                        confirmed_at: string;
                        /**
                         * Format: date-time
                         * @description When the session ends if it is not used again.
                         */
                        expires_at: string;
                        /** @description Who acts as the user; null where the user acts. */
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
                    /** @description Reserved. Keys do not record yet which key created them. */
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
                    /** @description What the person is shown, and the key is named after: 1 to 64 characters after trimming, at least one of them visible, and no control, format or invisible characters. */
                    client_name: string;
                };
            };
        };
        responses: {
            /** @description The codes. They are shown here alone. */
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
                        /** @description In seconds. */
                        expires_in: number;
                        /** @description Between polls, in seconds. */
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
            /** @description The key and its token, which is shown here alone. */
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
                            /** @enum {string} */
                            status: "active" | "expired" | "revoked";
                            /** Format: date-time */
                            expires_at: string | null;
                            ip_allowlist: string[] | null;
                            rate_limit_per_minute: number;
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
                /** @description The same key and request within 24 hours give the same answer, and the work is done once. */
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
                /** @description The same key and request within 24 hours give the same answer, and the work is done once. */
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
            /** @description The refused device login. */
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
            /** @description Every scope. `resource` and `access` are null where a scope is not of one. */
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
                status?: "active" | "expired" | "revoked";
                q?: string;
                user_id?: string;
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
                            /** @enum {string} */
                            status: "active" | "expired" | "revoked";
                            /** Format: date-time */
                            expires_at: string | null;
                            ip_allowlist: string[] | null;
                            rate_limit_per_minute: number;
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
                /** @description The same key and request within 24 hours give the same answer, and the work is done once. */
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
                    /** @description Addresses or CIDRs that may use the key, without host bits; null for all. */
                    ip_allowlist?: (string)[] | null;
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
                            /** @enum {string} */
                            status: "active" | "expired" | "revoked";
                            /** Format: date-time */
                            expires_at: string | null;
                            ip_allowlist: string[] | null;
                            rate_limit_per_minute: number;
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
                        /** @description The full token. It is shown here alone. Null where an answer is replayed. */
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
                            /** @enum {string} */
                            status: "active" | "expired" | "revoked";
                            /** Format: date-time */
                            expires_at: string | null;
                            ip_allowlist: string[] | null;
                            rate_limit_per_minute: number;
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
            query?: never;
            header?: {
                /** @description The same key and request within 24 hours give the same answer, and the work is done once. */
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
                /** @description The same key and request within 24 hours give the same answer, and the work is done once. */
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
                    /** @description Addresses or CIDRs that may use the key, without host bits; null for all. */
                    ip_allowlist?: (string)[] | null;
                    rate_limit_per_minute?: number;
                };
            };
        };
        responses: {
            /** @description The changed key. */
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
                            /** @enum {string} */
                            status: "active" | "expired" | "revoked";
                            /** Format: date-time */
                            expires_at: string | null;
                            ip_allowlist: string[] | null;
                            rate_limit_per_minute: number;
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
                /** @description The same key and request within 24 hours give the same answer, and the work is done once. */
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
                    /** @description How long the secret so far stays valid; 0 or none ends all old ones at once. */
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
                            /** @enum {string} */
                            status: "active" | "expired" | "revoked";
                            /** Format: date-time */
                            expires_at: string | null;
                            ip_allowlist: string[] | null;
                            rate_limit_per_minute: number;
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
                        /** @description The full token. It is shown here alone. Null where an answer is replayed. */
                        token: string | null;
                    };
                };
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
            /** @description A day each. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** Format: date */
                            date: string;
                            requests: number;
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
            /** @description A page of audit events. */
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
                            /** @description 10000 means as many or more. */
                            waiting_deliveries: number;
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
                /** @description The same key and request within 24 hours give the same answer, and the work is done once. */
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
                };
            };
        };
        responses: {
            /** @description The endpoint, and its signing secret, which is shown here alone. */
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
                            /** @description 10000 means as many or more. */
                            waiting_deliveries: number;
                        };
                        /** @description The signing secret. It is shown here alone. Null where an answer is replayed. */
                        secret: string | null;
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
            /** @description Every event type. New ones may appear at any time. */
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
            /** @description Server-Sent Events, until you leave. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
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
                            /** @description 10000 means as many or more. */
                            waiting_deliveries: number;
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
                /** @description The same key and request within 24 hours give the same answer, and the work is done once. */
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
                /** @description The same key and request within 24 hours give the same answer, and the work is done once. */
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
                };
            };
        };
        responses: {
            /** @description The changed endpoint. */
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
                            /** @description 10000 means as many or more. */
                            waiting_deliveries: number;
                        };
                    };
                };
            };
        };
    };
    "webhooks.ping": {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and request within 24 hours give the same answer, and the work is done once. */
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
                /** @description The same key and request within 24 hours give the same answer, and the work is done once. */
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
    "webhooks.rotate-secret": {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and request within 24 hours give the same answer, and the work is done once. */
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
                    /** @description How long the secret so far stays valid; 0 or none ends all old ones at once. */
                    grace_seconds?: number;
                };
            };
        };
        responses: {
            /** @description The endpoint, and its new secret, which is shown here alone. */
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
                            /** @description 10000 means as many or more. */
                            waiting_deliveries: number;
                        };
                        /** @description The signing secret. It is shown here alone. Null where an answer is replayed. */
                        secret: string | null;
                    };
                };
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
            /** @description Attempts by bucket, oldest first, in UTC. Durations are null where there was none; those of 128 ms and more are rounded by up to 0.8%. */
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
    "webhooks.recover": {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and request within 24 hours give the same answer, and the work is done once. */
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
            /** @description What a recovery would redeliver, for `dry_run`. */
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
            /** @description The recovery, which runs. */
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
                /** @description The same key and request within 24 hours give the same answer, and the work is done once. */
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
            /** @description The recovery does not go on. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
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
                /** @description The same key and request within 24 hours give the same answer, and the work is done once. */
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
