// Made by `npm run generate` from the routes of the API, as docs/openapi.json is.
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
         * @description Returns the caller, or exactly the 401, 403 or 429 problem that this API would return. Costs the key one request, like any other call.
         */
        post: operations["internal.authorize"];
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
        get?: never;
        /**
         * Create or update an organization
         * @description Creates the organization with this id, or replaces its members.
         */
        put: operations["internal.tenants.put"];
        post?: never;
        /**
         * Delete an organization
         * @description Its keys stop working, its endpoints are deleted, and its unfinished deliveries become `dead`.
         */
        delete: operations["internal.tenants.delete"];
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
        get?: never;
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
    "/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
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
            /** @description What the code means, in a few words. */
            title: string;
            /** @description The HTTP status of the response. */
            status: number;
            /** @description What happened in this request, for people. */
            detail: string;
            /** @description The path of the request. */
            instance: string;
            /** @description The stable name of the problem. Programs compare it instead of the texts. */
            code: string;
            /** @description Equal to `code`, in the 400s of the device login (RFC 8628). */
            error?: string;
            /** @description The `X-Request-Id` of the response. Quote it when you contact support. */
            request_id: string;
            /** @description For 422: the invalid members. */
            errors?: {
                /** @description A JSON Pointer (RFC 6901) into the body or the query. */
                pointer: string;
                /** @description What is wrong with the member. */
                message: string;
            }[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description The id of the request: the value that was sent, if it is valid, or a new one. The logs and the audit log contain it. */
        "X-Request-Id": string;
        /** @description The rate limit of the key, for example `"per-key";q=600;w=60`: at most `q` requests in any `w` seconds. Absent without a key. */
        "RateLimit-Policy": string;
        /** @description What is left of the rate limit, for example `"per-key";r=599;t=60`: `r` requests, and `t` seconds until the window resets. Absent without a key. */
        RateLimit: string;
        /** @description After how many seconds to repeat the request. Absent if repeating it is of no use. */
        "Retry-After": number;
        /** @description `true` if the response is the stored one of an earlier request with the same `Idempotency-Key`. Absent otherwise. */
        "Idempotency-Replayed": "true";
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
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
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
                            /**
                             * @description `human` for a person, `service` for the user that an organization key acts as.
                             * @enum {string}
                             */
                            kind: "human" | "service";
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
                            /**
                             * @description `personal` or `organization`.
                             * @enum {string}
                             */
                            kind: "personal" | "organization";
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
    "internal.tenants.put": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
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
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
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
    "internal.accounts.put": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
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
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
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
    "internal.users.put": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
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
                        /** @description The user, without the password. */
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
                            /** @description The email address. Null for a service user. */
                            email: string | null;
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
                        /** @description The user, without the password. */
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
                            /** @description The email address. Null for a service user. */
                            email: string | null;
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
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
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
    "internal.users.sign-in-links": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log. Any other value is replaced by a generated one. */
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
    "internal.notices": {
        parameters: {
            query?: {
                /** @description The most items of a page, 1 to 100. */
                limit?: number;
                /** @description The `next_cursor` of the previous response. Without it, the feed starts with the oldest notice. */
                after?: string;
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
                            /**
                             * @description What happened. New types may be added at any time.
                             * @enum {string}
                             */
                            type: "webhook.failing" | "webhook.recovered" | "webhook.disabled" | "api_key.expiring" | "api_key.created" | "sign_in.new_device";
                            /**
                             * Format: date-time
                             * @description When it happened.
                             */
                            created_at: string;
                            /** @description What happened, in one line. */
                            title: string;
                            /** @description What happened and what to do, in plain text. */
                            text: string;
                            /** @description What the notice is about. */
                            subject: {
                                /**
                                 * @description The type of the record.
                                 * @enum {string}
                                 */
                                type: "webhook" | "api_key" | "session";
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
                        }[];
                        /** @description The `after` of the next request. It is never null. */
                        next_cursor: string;
                    };
                };
            };
        };
    };
}
