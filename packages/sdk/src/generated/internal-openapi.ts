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
        /** Create or update an organization */
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
        /** Create or update an account */
        put: operations["internal.accounts.put"];
        post?: never;
        /** Delete an account */
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
         * @description Without `password`, the password stays unchanged. It is stored as an argon2id hash and never returned.
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
                "application/json": unknown;
            };
        };
        responses: {
            /** @description The events in the order of the request, each with its number of deliveries. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** Format: uuid */
                            id: string;
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
                    /** @description The value of the `Authorization` header; null if there was none. */
                    authorization: string | null;
                    /** Format: ip-address */
                    ip: string;
                    method: string;
                    /** @enum {string} */
                    permission: "accounts.read" | "accounts.manage" | "alerts.read" | "alerts.manage" | "apikeys.read" | "apikeys.manage" | "audit.read" | "audit.manage" | "backups.read" | "backups.manage" | "databases.read" | "databases.manage" | "dns.read" | "dns.manage" | "jobs.read" | "jobs.manage" | "mail.read" | "mail.manage" | "observability.read" | "observability.manage" | "plans.read" | "plans.manage" | "runtime.read" | "runtime.manage" | "security.read" | "security.manage" | "servers.read" | "servers.manage" | "sftp.read" | "sftp.manage" | "sites.read" | "sites.manage" | "storage.read" | "storage.manage" | "tenant.read" | "tenant.manage" | "updates.read" | "updates.manage" | "users.read" | "users.manage" | "waitlist.read" | "waitlist.manage" | "webhooks.read" | "webhooks.manage" | "apikeys.create" | "users.impersonate" | "jobs.result" | "jobs.samples" | "accounts.files" | "accounts.terminal" | "users.invitations" | "backups.restore" | "backups.download";
                    /** Format: uuid */
                    account_id?: string | null;
                };
            };
        };
        responses: {
            /** @description The request is permitted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        tenant: {
                            /** Format: uuid */
                            id: string;
                            slug: string;
                            name: string;
                        };
                        user: {
                            /** Format: uuid */
                            id: string;
                            name: string;
                            email: string | null;
                            kind: string;
                        };
                        roles: string[];
                        accounts: "all" | string[];
                        key: {
                            id: string;
                            name: string;
                            kind: string;
                            scopes: string[];
                        };
                        rate_limit: {
                            limit: number;
                            remaining: number;
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
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    slug: string;
                    name: string;
                    /** @default standard */
                    edition?: string;
                };
            };
        };
        responses: {
            /** @description Updated. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        tenant: {
                            /** Format: uuid */
                            id: string;
                            slug: string;
                            name: string;
                            edition: string;
                        };
                    };
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        tenant: {
                            /** Format: uuid */
                            id: string;
                            slug: string;
                            name: string;
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
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The organization is deleted. */
            204: {
                headers: {
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
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    tenant_id: string;
                    name: string;
                };
            };
        };
        responses: {
            /** @description Updated. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            tenant_id: string;
                            name: string;
                        };
                    };
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            tenant_id: string;
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
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account is deleted. */
            204: {
                headers: {
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
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    tenant_id: string;
                    email: string;
                    name: string;
                    /** @enum {string} */
                    status: "active" | "deactivated";
                    roles: ("admin" | "support" | "reseller" | "customer")[];
                    accounts: string[];
                    password?: string;
                };
            };
        };
        responses: {
            /** @description Updated. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            tenant_id: string;
                            email: string | null;
                            name: string;
                            status: string;
                            roles: string[];
                            accounts: string[];
                        };
                    };
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: {
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            tenant_id: string;
                            email: string | null;
                            name: string;
                            status: string;
                            roles: string[];
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
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user is deleted. */
            204: {
                headers: {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The link, with its token. */
                        url: string;
                        /** Format: date-time */
                        expires_at: string;
                    };
                };
            };
        };
    };
    "internal.notices": {
        parameters: {
            query?: {
                limit?: number;
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
                            /** Format: uuid */
                            tenant_id: string;
                            user: {
                                /** Format: uuid */
                                id: string;
                                email: string | null;
                            };
                            title: string;
                            text: string;
                            subject: {
                                /** @enum {string} */
                                type: "webhook" | "api_key" | "session";
                                id: string;
                                name: string;
                            };
                            path: string;
                        }[];
                        next_cursor: string;
                    };
                };
            };
        };
    };
}
