// Made by `npm run generate` from the routes of the API, as docs/generated/openapi.json is.
export interface paths {
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish one event, or up to 1,000 at once
         * @description The body is an event `{ id?, type, tenant_id, created_at?, data }`, or `{ events: [...] }`. `data` is validated against the schema of the type. All events are accepted or none; accepted means committed to PostgreSQL. An event whose `id` was accepted before is not published again.
         */
        post: operations["internal.events"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/authorize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Authorize a request that another service of the platform received
         * @description Returns the caller, or exactly the 401, 403 or 429 problem that this API would return, without `instance`, to pass on to the client. Costs the key one request, like any other call.
         */
        post: operations["internal.authorize"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the organizations
         * @description Oldest change first. A record that changes while you read the pages moves to the end, so none is missed. Deleted records are not listed.
         */
        get: operations["internal.tenants.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenants/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an organization
         * @description Returns what was put, with the times of its creation and last change.
         */
        get: operations["internal.tenants.get"];
        /**
         * Create or update an organization
         * @description Creates the organization with this id, or replaces its members.
         */
        put: operations["internal.tenants.put"];
        post?: never;
        /**
         * Delete an organization
         * @description Deletes its accounts and users, too. Its keys stop working, its endpoints are deleted, and its unfinished deliveries become `dead`.
         */
        delete: operations["internal.tenants.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the accounts
         * @description Oldest change first. A record that changes while you read the pages moves to the end, so none is missed. Deleted records are not listed.
         */
        get: operations["internal.accounts.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an account
         * @description Returns what was put, with the times of its creation and last change.
         */
        get: operations["internal.accounts.get"];
        /**
         * Create or update an account
         * @description Creates the account with this id, or replaces its members. Roles of account level apply to it once it is assigned to a user.
         */
        put: operations["internal.accounts.put"];
        post?: never;
        /**
         * Delete an account
         * @description No user and no key can access the account any longer.
         */
        delete: operations["internal.accounts.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the users
         * @description Oldest change first. A record that changes while you read the pages moves to the end, so none is missed. Deleted records are not listed.
         */
        get: operations["internal.users.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a user
         * @description Returns what was put, with the times of its creation and last change.
         */
        get: operations["internal.users.get"];
        /**
         * Create or update a user with roles and accounts
         * @description Creates the user with this id, or replaces its members. A change applies to the very next request. The password is stored as an argon2id hash and never returned.
         */
        put: operations["internal.users.put"];
        post?: never;
        /**
         * Delete a user
         * @description Its personal keys stop working. Organization keys that it created keep working.
         */
        delete: operations["internal.users.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/directory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Create or update up to 1,000 records
         * @description Applies each record as its own PUT would, first the organizations, then the accounts, then the users, in the order of the request. A refused record does not stop the others. Hashing a password takes tens of milliseconds.
         */
        put: operations["internal.directory.put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{id}/sign-in-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a link that signs a person in to the panel
         * @description The link works once, for 60 seconds. Redirect the browser of the person to it, and do not send it in any other way.
         */
        post: operations["internal.users.sign-in-links"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenants/{id}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the endpoints of an organization
         * @description What the organization itself sees with `GET /api/v1/webhooks`.
         */
        get: operations["internal.tenants.webhooks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenants/{id}/webhook-deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of an organization
         * @description What the organization itself sees with `GET /api/v1/webhook-deliveries`.
         */
        get: operations["internal.tenants.webhook-deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenants/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the daily usage of an organization
         * @description For billing. At most 92 days at once, of the last 400. Also of a deleted organization, for its last invoice. Requests are counted within 10 seconds.
         */
        get: operations["internal.tenants.usage"];
        put?: never;
        post?: never;
        delete?: never;
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
         * Read the notices of all people
         * @description For a platform that sends its own messages. Oldest first. Ask again later with `after=<next_cursor>`: it returns what was added since, and skips nothing.
         */
        get: operations["internal.notices"];
        put?: never;
        post?: never;
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
            /** @description The HTTP status of the response. */
            status: number;
            /** @description What happened in this request, for people. */
            detail: string;
            /** @description The path of the request. */
            instance?: string;
            /**
             * @description The stable name of the problem. Programs compare it instead of the texts.
             * @enum {string}
             */
            code: "malformed_json" | "malformed_request" | "authorization_pending" | "slow_down" | "access_denied" | "expired_token" | "invalid_request" | "invalid_scope" | "unsupported_grant_type" | "invalid_grant" | "invalid_client" | "authentication_required" | "invalid_service_token" | "invalid_api_key" | "invalid_credentials" | "totp_required" | "permission_denied" | "api_key_not_allowed" | "api_key_ip_denied" | "api_key_wider_than_caller" | "insufficient_scope" | "csrf_failed" | "second_factor_required" | "reauthentication_required" | "not_found" | "method_not_allowed" | "conflict" | "idempotency_in_progress" | "webhook_disabled" | "api_key_limit_reached" | "webhook_limit_reached" | "payload_too_large" | "unsupported_media_type" | "validation_failed" | "idempotency_key_reused" | "api_key_policy_violation" | "webhook_url_not_allowed" | "rate_limited" | "internal_error" | "service_unavailable" | "webhooks_unavailable";
            /** @description Equal to `code`, for clients of OAuth (RFC 6749, section 5.2). */
            error?: string;
            /** @description What `detail` says in printable ASCII, for clients of OAuth. */
            error_description?: string;
            /** @description The `X-Request-Id` of the response. Quote it when you contact support. */
            request_id: string;
            /** @description For 422: the invalid members. */
            errors?: {
                /** @description A JSON Pointer (RFC 6901) into the body or the query. */
                pointer: string;
                /** @description What is wrong with the member. */
                message: string;
            }[];
            /** @description What the code means, in a few words. */
            title: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description The id of the request: the value that was sent, if it is valid, or a new one. The logs and the audit log contain it. */
        "X-Request-Id": string;
        /** @description After how many seconds to repeat the request. Absent if repeating it is of no use. */
        "Retry-After": number;
        /** @description `true` if the response is the stored one of an earlier request with the same `Idempotency-Key`. Absent otherwise. */
        "Idempotency-Replayed": string;
        /** @description Which credentials are accepted (RFC 6750): `Bearer`, with an `error` if the given ones are invalid. */
        "WWW-Authenticate": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "internal.events": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The id of the event. An event whose id was accepted before is not published again. Default: a new id.
                     */
                    id?: string;
                    /** @description The event type, for example `site.created`. Reserved types are refused. */
                    type: string;
                    /**
                     * Format: uuid
                     * @description The id of the organization that the event belongs to.
                     */
                    tenant_id: string;
                    /**
                     * Format: date-time
                     * @description When the event happened. Default: the time of the request.
                     */
                    created_at?: string;
                    /** @description The data of the event, by the schema of its type, which `GET /api/v1/webhooks/event-types` lists. */
                    data: Record<string, never>;
                } | {
                    /** @description The events, at most 1,000. All are accepted or none. */
                    events: {
                        /**
                         * Format: uuid
                         * @description The id of the event. An event whose id was accepted before is not published again. Default: a new id.
                         */
                        id?: string;
                        /** @description The event type, for example `site.created`. Reserved types are refused. */
                        type: string;
                        /**
                         * Format: uuid
                         * @description The id of the organization that the event belongs to.
                         */
                        tenant_id: string;
                        /**
                         * Format: date-time
                         * @description When the event happened. Default: the time of the request.
                         */
                        created_at?: string;
                        /** @description The data of the event, by the schema of its type, which `GET /api/v1/webhooks/event-types` lists. */
                        data: Record<string, never>;
                    }[];
                };
            };
        };
        responses: {
            /** @description The events in the order of the request, each with its number of deliveries. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The events, in the order of the request. */
                        items: {
                            /**
                             * Format: uuid
                             * @description The id of the event, given or new.
                             */
                            id: string;
                            /** @description The number of endpoints that the event is delivered to. */
                            deliveries: number;
                        }[];
                    };
                };
            };
        };
    };
    "internal.authorize": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The value of the `Authorization` header that your service received; null if there was none. */
                    authorization: string | null;
                    /** @description The client address, which is checked against the IP allowlist of the key. */
                    ip: string;
                    /** @description The HTTP method of the request. Scopes to read cover only GET and HEAD. */
                    method: string;
                    /**
                     * @description The permission that the request requires.
                     * @enum {string}
                     */
                    permission: "accounts.read" | "accounts.manage" | "alerts.read" | "alerts.manage" | "apikeys.read" | "apikeys.manage" | "audit.read" | "audit.manage" | "backups.read" | "backups.manage" | "databases.read" | "databases.manage" | "dns.read" | "dns.manage" | "jobs.read" | "jobs.manage" | "mail.read" | "mail.manage" | "observability.read" | "observability.manage" | "plans.read" | "plans.manage" | "runtime.read" | "runtime.manage" | "security.read" | "security.manage" | "servers.read" | "servers.manage" | "sftp.read" | "sftp.manage" | "sites.read" | "sites.manage" | "storage.read" | "storage.manage" | "tenant.read" | "tenant.manage" | "updates.read" | "updates.manage" | "users.read" | "users.manage" | "waitlist.read" | "waitlist.manage" | "webhooks.read" | "webhooks.manage" | "apikeys.create" | "users.impersonate" | "jobs.result" | "jobs.samples" | "accounts.files" | "accounts.terminal" | "users.invitations" | "backups.restore" | "backups.download";
                    /**
                     * Format: uuid
                     * @description The account that the request concerns. Null or absent: the request passes if any account permits it.
                     */
                    account_id?: string | null;
                };
            };
        };
        responses: {
            /** @description The request is permitted. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The organization of the key. */
                        tenant: {
                            /**
                             * Format: uuid
                             * @description The id of the organization.
                             */
                            id: string;
                            /** @description The short name of the organization, which the platform chooses. */
                            slug: string;
                            /** @description The name of the organization. */
                            name: string;
                        };
                        /** @description The user that the key acts as. */
                        user: {
                            /**
                             * Format: uuid
                             * @description The id of the user.
                             */
                            id: string;
                            /** @description The name of the user. */
                            name: string;
                            /** @description The email address of the user. Null for a service user. */
                            email: string | null;
                            /** @description `human` for a person, `service` for the user that an organization key acts as. */
                            kind: "human" | "service" | (string & {});
                        };
                        /** @description The roles of the user. */
                        roles: string[];
                        /** @description `"all"`, or the ids of the accounts on which the request is permitted. Limit what you return to them. */
                        accounts: "all" | string[];
                        /** @description The key of the request. */
                        key: {
                            /** @description The key id. */
                            id: string;
                            /** @description The name of the key. */
                            name: string;
                            /** @description `personal` or `organization`. */
                            kind: "personal" | "organization" | (string & {});
                            /** @description The scopes of the key. */
                            scopes: string[];
                        };
                        /** @description The rate limit of the key after this request. */
                        rate_limit: {
                            /** @description The most requests in any 60 seconds. */
                            limit: number;
                            /** @description The number of requests that are left. */
                            remaining: number;
                            /** @description When the window resets, in seconds from now. */
                            reset_seconds: number;
                        };
                    };
                };
            };
        };
    };
    "internal.tenants.list": {
        parameters: {
            query?: {
                /** @description The most items of a page, 1 to 1,000. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. Without it, the list starts with the oldest change. */
                cursor?: string;
                /** @description Only records that changed at or after this time. With the latest `updated_at` that you have read, the list has everything that changed since, also what was in progress then. */
                updated_since?: string;
            };
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The records, oldest change first. */
                        items: {
                            /**
                             * Format: uuid
                             * @description The id of the organization.
                             */
                            id: string;
                            /** @description The short name of the organization, which the platform chooses. */
                            slug: string;
                            /** @description The name of the organization. */
                            name: string;
                            /** @description The edition. */
                            edition: string;
                            /**
                             * Format: date-time
                             * @description When the record was created.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description When the record last changed. A PUT that changes nothing leaves it. A change that becomes visible later has no earlier time.
                             */
                            updated_at: string;
                        }[];
                        /** @description The `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    "internal.tenants.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the organization. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The organization. */
                        tenant: {
                            /**
                             * Format: uuid
                             * @description The id of the organization.
                             */
                            id: string;
                            /** @description The short name of the organization, which the platform chooses. */
                            slug: string;
                            /** @description The name of the organization. */
                            name: string;
                            /** @description The edition. */
                            edition: string;
                            /**
                             * Format: date-time
                             * @description When the record was created.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description When the record last changed. A PUT that changes nothing leaves it. A change that becomes visible later has no earlier time.
                             */
                            updated_at: string;
                        };
                    };
                };
            };
        };
    };
    "internal.tenants.put": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the organization, a UUID that the platform chooses. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A short name that no other organization has. At most 100 characters. */
                    slug: string;
                    /** @description The name of the organization. */
                    name: string;
                    /**
                     * @description The edition, which `GET /api/v1/tenant/edition` returns.
                     * @default standard
                     */
                    edition?: string;
                };
            };
        };
        responses: {
            /** @description Updated. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The organization. */
                        tenant: {
                            /**
                             * Format: uuid
                             * @description The id of the organization.
                             */
                            id: string;
                            /** @description The short name of the organization, which the platform chooses. */
                            slug: string;
                            /** @description The name of the organization. */
                            name: string;
                            /** @description The edition. */
                            edition: string;
                        };
                    };
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The organization. */
                        tenant: {
                            /**
                             * Format: uuid
                             * @description The id of the organization.
                             */
                            id: string;
                            /** @description The short name of the organization, which the platform chooses. */
                            slug: string;
                            /** @description The name of the organization. */
                            name: string;
                            /** @description The edition. */
                            edition: string;
                        };
                    };
                };
            };
        };
    };
    "internal.tenants.delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the organization. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The organization is deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "internal.accounts.list": {
        parameters: {
            query?: {
                /** @description The most items of a page, 1 to 1,000. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. Without it, the list starts with the oldest change. */
                cursor?: string;
                /** @description Only records that changed at or after this time. With the latest `updated_at` that you have read, the list has everything that changed since, also what was in progress then. */
                updated_since?: string;
                /** @description Only records of this organization. */
                tenant_id?: string;
            };
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The records, oldest change first. */
                        items: {
                            /**
                             * Format: uuid
                             * @description The id of the account.
                             */
                            id: string;
                            /**
                             * Format: uuid
                             * @description The id of the organization.
                             */
                            tenant_id: string;
                            /** @description The name of the account. */
                            name: string;
                            /**
                             * Format: date-time
                             * @description When the record was created.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description When the record last changed. A PUT that changes nothing leaves it. A change that becomes visible later has no earlier time.
                             */
                            updated_at: string;
                        }[];
                        /** @description The `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    "internal.accounts.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the account. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The account. */
                        account: {
                            /**
                             * Format: uuid
                             * @description The id of the account.
                             */
                            id: string;
                            /**
                             * Format: uuid
                             * @description The id of the organization.
                             */
                            tenant_id: string;
                            /** @description The name of the account. */
                            name: string;
                            /**
                             * Format: date-time
                             * @description When the record was created.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description When the record last changed. A PUT that changes nothing leaves it. A change that becomes visible later has no earlier time.
                             */
                            updated_at: string;
                        };
                    };
                };
            };
        };
    };
    "internal.accounts.put": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the account, a UUID that the platform chooses. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The id of the organization, which must exist.
                     */
                    tenant_id: string;
                    /** @description The name of the account. */
                    name: string;
                };
            };
        };
        responses: {
            /** @description Updated. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The account. */
                        account: {
                            /**
                             * Format: uuid
                             * @description The id of the account.
                             */
                            id: string;
                            /**
                             * Format: uuid
                             * @description The id of the organization.
                             */
                            tenant_id: string;
                            /** @description The name of the account. */
                            name: string;
                        };
                    };
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The account. */
                        account: {
                            /**
                             * Format: uuid
                             * @description The id of the account.
                             */
                            id: string;
                            /**
                             * Format: uuid
                             * @description The id of the organization.
                             */
                            tenant_id: string;
                            /** @description The name of the account. */
                            name: string;
                        };
                    };
                };
            };
        };
    };
    "internal.accounts.delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the account. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account is deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "internal.users.list": {
        parameters: {
            query?: {
                /** @description The most items of a page, 1 to 1,000. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. Without it, the list starts with the oldest change. */
                cursor?: string;
                /** @description Only records that changed at or after this time. With the latest `updated_at` that you have read, the list has everything that changed since, also what was in progress then. */
                updated_since?: string;
                /** @description Only records of this organization. */
                tenant_id?: string;
            };
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The records, oldest change first. */
                        items: {
                            /**
                             * Format: uuid
                             * @description The id of the user.
                             */
                            id: string;
                            /**
                             * Format: uuid
                             * @description The id of the organization.
                             */
                            tenant_id: string;
                            /** @description The email address. */
                            email: string;
                            /** @description The name of the user. */
                            name: string;
                            /** @description `active` or `deactivated`. */
                            status: string;
                            /** @description The roles of the user. */
                            roles: string[];
                            /** @description The ids of the accounts that are assigned to the user. */
                            accounts: string[];
                            /** @description Whether the person has a password. The password itself is never returned. */
                            has_password: boolean;
                            /**
                             * Format: date-time
                             * @description When the record was created.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description When the record last changed. A PUT that changes nothing leaves it. A change that becomes visible later has no earlier time.
                             */
                            updated_at: string;
                        }[];
                        /** @description The `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    "internal.users.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the user. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The user. */
                        user: {
                            /**
                             * Format: uuid
                             * @description The id of the user.
                             */
                            id: string;
                            /**
                             * Format: uuid
                             * @description The id of the organization.
                             */
                            tenant_id: string;
                            /** @description The email address. */
                            email: string;
                            /** @description The name of the user. */
                            name: string;
                            /** @description `active` or `deactivated`. */
                            status: string;
                            /** @description The roles of the user. */
                            roles: string[];
                            /** @description The ids of the accounts that are assigned to the user. */
                            accounts: string[];
                            /** @description Whether the person has a password. The password itself is never returned. */
                            has_password: boolean;
                            /**
                             * Format: date-time
                             * @description When the record was created.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description When the record last changed. A PUT that changes nothing leaves it. A change that becomes visible later has no earlier time.
                             */
                            updated_at: string;
                        };
                    };
                };
            };
        };
    };
    "internal.users.put": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the user, a UUID that the platform chooses. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The id of the organization, which must exist.
                     */
                    tenant_id: string;
                    /** @description The email address that the person signs in with. */
                    email: string;
                    /** @description The name of the user. */
                    name: string;
                    /**
                     * @description A deactivated user cannot sign in, and their personal keys are refused.
                     * @enum {string}
                     */
                    status: "active" | "deactivated";
                    /** @description The user's roles. A user without roles has no permissions. */
                    roles: ("admin" | "support" | "reseller" | "customer")[];
                    /** @description The ids of the accounts on which the roles `reseller` and `customer` apply. */
                    accounts: string[];
                    /** @description The password for the panel. Default: unchanged. Omit it for sign-in by links. */
                    password?: string;
                };
            };
        };
        responses: {
            /** @description Updated. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The user. */
                        user: {
                            /**
                             * Format: uuid
                             * @description The id of the user.
                             */
                            id: string;
                            /**
                             * Format: uuid
                             * @description The id of the organization.
                             */
                            tenant_id: string;
                            /** @description The email address. */
                            email: string;
                            /** @description The name of the user. */
                            name: string;
                            /** @description `active` or `deactivated`. */
                            status: string;
                            /** @description The roles of the user. */
                            roles: string[];
                            /** @description The ids of the accounts that are assigned to the user. */
                            accounts: string[];
                        };
                    };
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The user. */
                        user: {
                            /**
                             * Format: uuid
                             * @description The id of the user.
                             */
                            id: string;
                            /**
                             * Format: uuid
                             * @description The id of the organization.
                             */
                            tenant_id: string;
                            /** @description The email address. */
                            email: string;
                            /** @description The name of the user. */
                            name: string;
                            /** @description `active` or `deactivated`. */
                            status: string;
                            /** @description The roles of the user. */
                            roles: string[];
                            /** @description The ids of the accounts that are assigned to the user. */
                            accounts: string[];
                        };
                    };
                };
            };
        };
    };
    "internal.users.delete": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the user. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user is deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "internal.directory.put": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The organizations, as their own PUT takes them, each with its `id`. */
                    tenants?: {
                        /**
                         * Format: uuid
                         * @description The id of the organization.
                         */
                        id: string;
                        /** @description A short name that no other organization has. At most 100 characters. */
                        slug: string;
                        /** @description The name of the organization. */
                        name: string;
                        /**
                         * @description The edition, which `GET /api/v1/tenant/edition` returns.
                         * @default standard
                         */
                        edition?: string;
                    }[];
                    /** @description The accounts, as their own PUT takes them, each with its `id`. */
                    accounts?: {
                        /**
                         * Format: uuid
                         * @description The id of the account.
                         */
                        id: string;
                        /**
                         * Format: uuid
                         * @description The id of the organization, which must exist.
                         */
                        tenant_id: string;
                        /** @description The name of the account. */
                        name: string;
                    }[];
                    /** @description The users, as their own PUT takes them, each with its `id`. */
                    users?: {
                        /**
                         * Format: uuid
                         * @description The id of the user.
                         */
                        id: string;
                        /**
                         * Format: uuid
                         * @description The id of the organization, which must exist.
                         */
                        tenant_id: string;
                        /** @description The email address that the person signs in with. */
                        email: string;
                        /** @description The name of the user. */
                        name: string;
                        /**
                         * @description A deactivated user cannot sign in, and their personal keys are refused.
                         * @enum {string}
                         */
                        status: "active" | "deactivated";
                        /** @description The user's roles. A user without roles has no permissions. */
                        roles: ("admin" | "support" | "reseller" | "customer")[];
                        /** @description The ids of the accounts on which the roles `reseller` and `customer` apply. */
                        accounts: string[];
                        /** @description The password for the panel. Default: unchanged. Omit it for sign-in by links. */
                        password?: string;
                    }[];
                };
            };
        };
        responses: {
            /** @description The result of each record, in the order in which they were applied. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description One item for each record. */
                        items: {
                            /** @description The type of the record. */
                            type: "tenant" | "account" | "user" | (string & {});
                            /** @description The id of the record. Null if it has none. */
                            id: string | null;
                            /** @description The status that its own PUT would have: 201, 200 or that of a problem. 422 if its id is missing or not a UUID. */
                            status: number;
                            /** @description Why the record was refused, as a problem document. */
                            problem?: Record<string, never>;
                        }[];
                    };
                };
            };
        };
    };
    "internal.users.sign-in-links": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the user. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description The path of the panel that the link leads to. It begins with exactly one `/` and contains no `\`, control character or outer space.
                     * @default /
                     */
                    return_to?: string;
                    /**
                     * @description Whether you have just confirmed who the person is. It counts as a confirmation in the panel.
                     * @default false
                     */
                    confirmed?: boolean;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The link, with its token. */
                        url: string;
                        /**
                         * Format: date-time
                         * @description When the link expires: 60 seconds after its creation.
                         */
                        expires_at: string;
                    };
                };
            };
        };
    };
    "internal.tenants.webhooks": {
        parameters: {
            query?: {
                /** @description The most items of a page, 1 to 100. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. Without it, the list starts with the newest item. */
                cursor?: string;
                /** @description Only the endpoint with this external id. */
                external_id?: string;
            };
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the organization. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of endpoints. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of the page, newest first. */
                        items: {
                            /**
                             * Format: uuid
                             * @description The id of the endpoint.
                             */
                            id: string;
                            /** @description The URL that receives the events, as it was given. */
                            url: string;
                            /** @description The patterns of the subscribed events: `*`, `<resource>.*` or an event type. */
                            events: string[];
                            /** @description The description that was given, for people. Null if there is none. */
                            description: string | null;
                            /** @description Whether deliveries are sent. Deliveries to a disabled endpoint wait. */
                            enabled: boolean;
                            /**
                             * Format: date-time
                             * @description When the endpoint was created.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description When the endpoint was last changed.
                             */
                            updated_at: string;
                            /**
                             * Format: date-time
                             * @description When the endpoint was disabled. Null while it is enabled.
                             */
                            disabled_at: string | null;
                            /**
                             * Format: date-time
                             * @description When the signing secret was last rotated. Null if it never was.
                             */
                            secret_rotated_at: string | null;
                            /**
                             * Format: date-time
                             * @description When the last of the old signing secrets ends. Null if only the current one is valid.
                             */
                            previous_secret_expires_at: string | null;
                            /**
                             * Format: date-time
                             * @description When an attempt last succeeded. Null if none has.
                             */
                            last_success_at: string | null;
                            /**
                             * Format: date-time
                             * @description When an attempt last failed. Null if none has.
                             */
                            last_failure_at: string | null;
                            /** @description The number of deliveries that are not finished. 10000 means 10000 or more. */
                            waiting_deliveries: number;
                            /** @description Why the endpoint is disabled: `manual` by a request, `failing` by `disable_after_failing_hours`. Null while enabled. */
                            disabled_reason: "manual" | "failing" | (string & {}) | null;
                            /** @description The most attempts per second to the endpoint. Null if there is no limit. */
                            rate_limit_per_second: number | null;
                            /** @description After how many hours of an open incident the endpoint is disabled. Null for never. */
                            disable_after_failing_hours: number | null;
                            /** @description The names of the custom headers, in lower case, sorted. Values are not returned. */
                            header_names: string[];
                            /** @description Whether each attempt also carries the headers of Standard Webhooks. */
                            standard_webhooks: boolean;
                            /** @description The id under which your own tools know it: letters, digits and `._:/-`. Unique in the organization. Null for none. */
                            external_id: string | null;
                            /** @description The ids of the accounts whose events are delivered. Null for all events, also those without an account. */
                            accounts: string[] | null;
                            /** @description Whether the receiver accepts requests, counted over all attempts. */
                            health: {
                                /** @description `failing` from 5 failed attempts in a row until a success. `unknown` until the first success since the endpoint was created or enabled. */
                                state: "unknown" | "healthy" | "failing" | (string & {});
                                /**
                                 * Format: date-time
                                 * @description When the first failed attempt of the current incident started. Null unless failing.
                                 */
                                failing_since: string | null;
                                /** @description The number of failed attempts since the last success, or since the endpoint was enabled. */
                                consecutive_failures: number;
                                /** @description The HTTP status of the last failed attempt. Null if there was no valid response, or no failure. */
                                last_status_code: number | null;
                                /** @description Why the last failed attempt failed. Null if none has failed. */
                                last_error_class: "address_not_public" | "dns_error" | "connection_refused" | "connection_reset" | "connect_timeout" | "timeout" | "tls_error" | "redirect" | "http_error" | "protocol_error" | "internal_error" | (string & {}) | null;
                                /** @description Failed attempts divided by all attempts since the last incident was closed, in the last 24 hours at most: 0 to 1. Null if there was no attempt. From 0.05 on, a healthy endpoint is called unstable. */
                                failure_rate: number | null;
                                /** @description Failed attempts divided by all attempts of the last 24 hours, 0 to 1. Null if there was no attempt. */
                                failure_rate_24h: number | null;
                            };
                        }[];
                        /** @description The `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    "internal.tenants.webhook-deliveries": {
        parameters: {
            query?: {
                /** @description The most items of a page, 1 to 100. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. Without it, the list starts with the newest item. */
                cursor?: string;
                /** @description Only deliveries with this status. */
                status?: "queued" | "in_flight" | "waiting_retry" | "waiting_endpoint" | "succeeded" | "dead";
                /** @description Only deliveries of events of this type. */
                event_type?: "server.enrolled" | "server.revoked" | "account.created" | "account.updated" | "account.deleted" | "site.created" | "site.updated" | "site.tls_updated" | "site.deleted" | "backup.completed" | "backup.failed" | "backup.restored" | "dns.zone_created" | "dns.zone_deleted" | "dns.records_changed" | "database.created" | "database.deleted" | "job.succeeded" | "job.failed" | "alert.firing" | "alert.resolved" | "endpoint.failing" | "endpoint.recovered" | "endpoint.disabled" | "api_key.expiring" | "api_key.created" | "api_key.revoked" | "invoice.ready" | "webhook.ping";
                /** @description Only deliveries of this event. */
                event_id?: string;
                /** @description Only deliveries of events of this object. */
                object_id?: string;
                /** @description Only deliveries of events of this account. */
                account_id?: string;
                /** @description Only deliveries whose last attempt got a response with this HTTP status. */
                status_code?: number;
                /** @description Only deliveries whose last attempt failed for this reason. */
                error_class?: "address_not_public" | "dns_error" | "connection_refused" | "connection_reset" | "connect_timeout" | "timeout" | "tls_error" | "redirect" | "http_error" | "protocol_error" | "internal_error";
                /** @description Only deliveries created at or after this time. */
                since?: string;
                /** @description Only deliveries created before this time. */
                until?: string;
                /** @description Only deliveries to this endpoint. */
                webhook_id?: string;
                /** @description Only deliveries that the text stands for: the id of a delivery, an event or an object, or its first 8 characters or more; an event type; or the domain, zone or host name of the event. Case plays no part. */
                q?: string;
            };
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the organization. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of the page, newest first. */
                        items: {
                            /**
                             * Format: uuid
                             * @description The id of the delivery, which each attempt carries in the header `<prefix>-Delivery`.
                             */
                            id: string;
                            /**
                             * Format: uuid
                             * @description The id of the endpoint.
                             */
                            webhook_id: string;
                            /** @description The event that is delivered. */
                            event: {
                                /**
                                 * Format: uuid
                                 * @description The id of the event. Receivers de-duplicate by it.
                                 */
                                id: string;
                                /** @description The type of the event, for example `site.created`. */
                                type: string;
                                /**
                                 * Format: date-time
                                 * @description When the event happened.
                                 */
                                created_at: string;
                                /** @description The kind of object that the event is about, for example `site`. */
                                object_type: string;
                                /** @description The id of the object that the event is about. */
                                object_id: string;
                                /** @description The id of the account of the object. Null if it has none. */
                                account_id: string | null;
                                /** @description The domain of the site, the name of the DNS zone or the host name of the server. Null for other events. */
                                name: string | null;
                            };
                            /** @description `queued`, `in_flight`, `waiting_retry` and `waiting_endpoint` (the endpoint is disabled) are unfinished. `succeeded` and `dead` are final. */
                            status: "queued" | "in_flight" | "waiting_retry" | "waiting_endpoint" | "succeeded" | "dead" | (string & {});
                            /** @description The number of attempts so far. */
                            attempt_count: number;
                            /**
                             * Format: date-time
                             * @description When the next attempt is due or expected to start. Null if none is scheduled: the delivery is finished, in flight, or its endpoint is disabled.
                             */
                            next_attempt_at: string | null;
                            /**
                             * Format: date-time
                             * @description When the delivery was created.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description When the delivery succeeded or became `dead`. Null while it is unfinished.
                             */
                            completed_at: string | null;
                            /**
                             * Format: uuid
                             * @description The id of the delivery that this one repeats. Null if it is no redelivery.
                             */
                            redelivery_of: string | null;
                            /** @description The endpoint in its current state. */
                            webhook: {
                                /**
                                 * Format: uuid
                                 * @description The id of the endpoint.
                                 */
                                id: string;
                                /** @description The URL of the endpoint. */
                                url: string;
                                /** @description The description of the endpoint. Null if there is none. */
                                description: string | null;
                                /** @description Whether the endpoint has been deleted since. */
                                deleted: boolean;
                            };
                            /** @description The latest attempt that has finished. Null before the first. */
                            last_attempt: {
                                /**
                                 * Format: uuid
                                 * @description The id of the attempt.
                                 */
                                id: string;
                                /** @description The position of the attempt within its delivery: 1 is the first. */
                                number: number;
                                /**
                                 * Format: date-time
                                 * @description When the attempt started.
                                 */
                                started_at: string;
                                /** @description How long the attempt took, in ms. */
                                duration_ms: number;
                                /** @description The HTTP status of the response, 100 to 599. Null if there was no valid response. */
                                status_code: number | null;
                                /** @description Why the attempt failed. Null if it succeeded. */
                                error_class: "address_not_public" | "dns_error" | "connection_refused" | "connection_reset" | "connect_timeout" | "timeout" | "tls_error" | "redirect" | "http_error" | "protocol_error" | "internal_error" | (string & {}) | null;
                            } | null;
                        }[];
                        /** @description The `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    "internal.tenants.usage": {
        parameters: {
            query?: {
                /** @description The first day, in UTC. Default: 29 days before `until`. */
                since?: string;
                /** @description The last day, in UTC. Default: today. */
                until?: string;
            };
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the organization. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One item per day, including days without usage. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The days, oldest first. */
                        items: {
                            /**
                             * Format: date
                             * @description The day, in UTC.
                             */
                            date: string;
                            /** @description The number of requests with the keys of the organization, whatever the responses. */
                            requests: number;
                            /** @description The number of events that were accepted, test events included. */
                            events: number;
                            /** @description The number of attempts that were started, retries included. */
                            attempts: number;
                        }[];
                    };
                };
            };
        };
    };
    "internal.notices": {
        parameters: {
            query?: {
                /** @description The most items of a page, 1 to 100. */
                limit?: number;
                /** @description The `next_cursor` of the previous response. Without it, the feed starts with the oldest notice. */
                after?: string;
            };
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The notices after the cursor. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The notices, oldest first. */
                        items: {
                            /**
                             * Format: uuid
                             * @description The id of the notice.
                             */
                            id: string;
                            /** @description What happened. New types may be added at any time. */
                            type: "webhook.failing" | "webhook.recovered" | "webhook.disabled" | "api_key.expiring" | "api_key.created" | "api_key.new_subject" | "sign_in.new_device" | "security.changed" | "second_factor.required" | (string & {});
                            /**
                             * Format: date-time
                             * @description When it happened.
                             */
                            created_at: string;
                            /** @description What happened and what to do, in plain text. */
                            text: string;
                            /** @description What the notice is about. */
                            subject: {
                                /** @description The type of the record. */
                                type: "webhook" | "api_key" | "session" | "tenant" | (string & {});
                                /** @description The id of the record. */
                                id: string;
                                /** @description The name of the key, the description or host of the endpoint, or the browser of the sign-in. */
                                name: string;
                            };
                            /** @description The path of the page of the panel that shows the subject. */
                            path: string;
                            /**
                             * Format: uuid
                             * @description The id of the organization.
                             */
                            tenant_id: string;
                            /** @description Whom the notice is for. */
                            user: {
                                /**
                                 * Format: uuid
                                 * @description The id of the person.
                                 */
                                id: string;
                                /** @description The email address of the person. Null if there is none. */
                                email: string | null;
                            };
                            /** @description What happened, in one line. */
                            title: string;
                        }[];
                        /** @description The `after` of the next request. It is never null. */
                        next_cursor: string;
                    };
                };
            };
        };
    };
}
