// Made by `npm run generate` from the routes of the API, as docs/generated/openapi.json is.
export interface paths {
    "/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the acting user with its roles and permissions, and the key
         * @description Use it to check a key, and to see what it may do.
         */
        get: operations["auth.me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange an identity token
         * @description Token exchange (RFC 8693): a CI job or a machine exchanges an identity token of its issuer for a short-lived token of the workload key that the audience of the identity token names. White space around the token is ignored. With `single_use`, each identity token is exchanged once. A key has at most 50 unexpired tokens and 60 exchanges per minute, and an IPv4 address or IPv6 /64 at most 20 responses `invalid_grant` or 503 per minute. Other members of the body, `Authorization` and cookies are ignored.
         */
        post: operations["auth.token"];
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
        /**
         * Get the session
         * @description The session of the cookie, with its CSRF token.
         */
        get: operations["auth.session.get"];
        put?: never;
        /**
         * Sign in
         * @description Send `email` and `password`, with `totp_code` if the person has an authenticator app, or only `passkey`, which counts as both factors. Returns the session as a cookie. After several failures for an account or from an address, further sign-ins are delayed. `Idempotency-Key` is ignored.
         */
        post: operations["auth.session.create"];
        /**
         * Sign out
         * @description Ends the session. Its cookie is refused from the very next request.
         */
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
         * @description Required before sensitive operations; a confirmation is valid for 5 minutes. Send `password`, with `totp_code` if you have an authenticator app, or only `passkey`. The session gets a new cookie and CSRF token; the old ones stop working immediately. While impersonating, send your own credentials.
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
         * @description The session gets a new cookie and CSRF token; the old ones stop working immediately. Ends your other sessions, and device logins that are approved but not yet redeemed. Common passwords and your own email address are rejected. A person without a password cannot set one: 409.
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
    "/auth/session/passkey-options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the options for a passkey
         * @description For a sign-in or a confirmation. The options are valid once, for 5 minutes, and name no credentials. An IPv4 address or IPv6 /64 gets 10 per minute. If the host of the public URL is an IP address, passkeys are not available: 409.
         */
        post: operations["auth.session.passkey-options"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/factors/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your passkeys
         * @description Newest first. While impersonating, those of the impersonated user.
         */
        get: operations["auth.passkeys.list"];
        put?: never;
        /**
         * Add a passkey
         * @description From then on, the passkey signs you in and confirms your identity, in place of the password and the code. The password keeps working.
         */
        post: operations["auth.passkeys.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/factors/passkeys/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the options for a new passkey
         * @description The options are valid once, for 5 minutes. A person can have 10 passkeys.
         */
        post: operations["auth.passkeys.options"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/factors/passkeys/{id}": {
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
         * Remove a passkey
         * @description Takes effect immediately. The last second factor cannot be removed while the organization requires one.
         */
        delete: operations["auth.passkeys.remove"];
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
        /**
         * Stop impersonating
         * @description The session continues as you, with a new cookie and CSRF token.
         */
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
         * @description Emails that are waiting when their setting is turned off are not sent, except those of `security`: everything that happened before is sent, and so is a notice of the change. Turning `security` off requires a recent confirmation.
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
         * @description After 5 wrong codes within 10 minutes, every code gets 429.
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
        /**
         * Deny a device login
         * @description The client gets `access_denied` from its next poll on. No key is created.
         */
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
        /**
         * Get the organization's edition with its features and limits
         * @description Use it to show the limits instead of copying them into your program.
         */
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
        /**
         * Get the organization's key policy
         * @description The rules that new keys must meet. Without a policy, everything is allowed.
         */
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
    "/tenant/security-policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the organization's security policy
         * @description Without a policy, no second factor is required and everyone may approve device logins.
         */
        get: operations["tenant.security-policy"];
        /**
         * Replace the organization's security policy
         * @description Applies from the next request. To require a second factor, you need one yourself. A session of a person without one then gets 403 `second_factor_required`, except on the routes that set one up, change the password, confirm the identity and manage sessions. Device logins are checked when they are approved and again when the client receives the key.
         */
        put: operations["tenant.put-security-policy"];
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
        /**
         * List the scopes and the permissions that each covers
         * @description The scopes that a key can have. The list is complete and has one page.
         */
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
         * @description Your personal keys. With `apikeys.read` at organization level, also organization keys and the personal keys of everyone in the organization. If few items match, a page may contain fewer items than `limit`, or none: continue until `next_cursor` is null.
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
        /**
         * Get a key
         * @description Returns a key by its key id, without its secret. A key that you may not see is not found.
         */
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
         * @description Anyone who has a token can revoke its key, regardless of its scopes: to sign out, or because the token has leaked. Of a workload key, only the exchanged token ends, whatever `descendants` is. Unknown, malformed and wrong tokens also get 204. An IPv4 address or IPv6 /64 may call this 10 times per minute. `Authorization` and cookies are ignored.
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
         * @description The last 30 days in UTC, today first. A request counts on the day it arrived, with its refusal, once its response is known.
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
    "/api-keys/{id}/uses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the uses of a key
         * @description Requests with a valid secret by hour or day, operation, status, address and secret, newest first, of the last 7 days. Of an hour at most 200 combinations are kept; the rest is one item whose `operation` and `address` are null. The numbers add up to the usage of the key and may lag by up to 10 seconds. A request counts in the hour in which it arrived, once its response is known.
         */
        get: operations["api-keys.uses"];
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
        /**
         * List the audit log
         * @description The changes and refused requests of the organization, newest first. Entries are never changed or deleted. If few items match, a page may contain fewer items than `limit`, or none: continue until `next_cursor` is null.
         */
        get: operations["audit-log.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{id}/previous-secrets": {
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
         * End the old secrets of a key
         * @description Ends the overlap periods of earlier rotations: from the next request on, only the current secret is valid. Allowed for the owner of a personal key, and with `apikeys.manage` for organization keys. Without old secrets, and for a workload key, nothing changes.
         */
        delete: operations["api-keys.end-previous-secrets"];
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
        /**
         * List the event types with the schema and an example of their data
         * @description What an endpoint can subscribe to. The list is complete and has one page. Receivers ignore types that they do not know.
         */
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
    "/webhooks/listen/trigger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an example event to your own streams
         * @description Sends an event with the example data of its type to the open streams of the same key or person in this organization, and to nobody else. It has no delivery and is not in the event log.
         */
        post: operations["webhooks.trigger"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/listen/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send deliveries again to your own streams
         * @description Sends the events of real deliveries to the open streams of the same key or person in this organization, and to nobody else. They have the ids that they had, and the signature of the stream, without the custom headers of their endpoint. No attempt is recorded, and no endpoint gets anything. Give at least one member; deliveries must match both `since` and `status`. Of more than 1,000 deliveries, the newest are sent, oldest first.
         */
        post: operations["webhooks.replay"];
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
        /**
         * List the endpoints
         * @description The endpoints of the organization with their health, newest first.
         */
        get: operations["webhooks.list"];
        put?: never;
        /**
         * Create an endpoint
         * @description Store the signing secret: it is returned only once. An organization can have 20 endpoints.
         */
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
        /**
         * Get an endpoint
         * @description Returns an endpoint with its health, without its signing secret.
         */
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
         * @description Disabling an endpoint pauses its deliveries; enabling resumes them. Omitted members stay unchanged. If the endpoint has custom headers, a change of the scheme, host or port of its URL must come with `headers`: all headers for the new URL, or null to remove them. With a session, such a change needs a confirmation within the last 5 minutes.
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
        /**
         * Send a test event to an endpoint
         * @description Sends `webhook.ping` to this endpoint only, whatever it subscribes to. Get the delivery by its id to see the outcome.
         */
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
        /**
         * Send an example event of a type to an endpoint
         * @description The event has the example data of its type and goes to this endpoint only. Nothing on the platform changes.
         */
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
        /**
         * Get the attempts of an endpoint over time
         * @description Counts attempts, not deliveries. Pings, test events and redeliveries also count.
         */
        get: operations["webhooks.stats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/completeness": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check whether all events have arrived at an endpoint
         * @description Counts the events of the event log that the endpoint subscribes to now, exactly, and what became of them at this endpoint. Each event counts once, however many deliveries it has: `events` is the sum of `delivered`, `waiting`, `dead` and `never_sent`. Pings and test events are not in the log. If there are too many events to count in time, the response is 503: choose a later `since`.
         */
        get: operations["webhooks.completeness"];
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
         * @description After 5 failed attempts in a row, an incident opens. The first success closes it, and so does disabling or deleting the endpoint. Incidents, including those of a deleted endpoint, are kept for 30 days after they are closed.
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
    "/webhooks/{id}/incidents/{incident_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an incident with its timeline and its events
         * @description Shows how the attempts failed over time, how many events the incident concerned, and how many of them have arrived since. Pings and test events do not count as events.
         */
        get: operations["webhooks.incident"];
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
         * Send the events of a time range again
         * @description Redelivers the event of every dead delivery created in the time range, unless a redelivery has since succeeded or is pending. `status`, `event_types` and `backfill` change which events are sent. Each event is sent at most once, only if the endpoint subscribes to its type now, and never a ping or test. An endpoint can have one running recovery at a time. `total` counts at least the first 10,000 deliveries or events examined and grows with `done` beyond that; at the end both are equal. With `dry_run` nothing is sent; the response contains `total`, which is exact unless counting takes longer than 4 seconds.
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
        /**
         * Get the progress of a recovery
         * @description Poll it until `status` is not `running`.
         */
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
         * @description The history of a deleted endpoint stays readable for 30 days. If few items match, a page may contain fewer items than `limit`, or none: continue until `next_cursor` is null.
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
         * @description If few items match, a page may contain fewer items than `limit`, or none: continue until `next_cursor` is null.
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
    "/webhook-deliveries/histogram": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the deliveries of the organization over time
         * @description Counts the deliveries by the time of their creation, with the filters of the list. By filters that no index covers together, at most the newest 20,000 deliveries are counted.
         */
        get: operations["webhook-deliveries.histogram"];
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
        /**
         * Get a delivery with its attempts and payload
         * @description Shows why a delivery failed: each attempt has its time, duration, status and error class. Deliveries are kept for 30 days.
         */
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
    "/webhook-deliveries/{id}/retry-now": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a delivery now
         * @description Makes the next attempt of a delivery due now that is `waiting_retry`. If it fails too, the later attempts follow the retry schedule.
         */
        post: operations["webhook-deliveries.retry-now"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/retry-now": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry all waiting deliveries of an endpoint now
         * @description Makes the next attempt of every delivery due now that is `waiting_retry`, for example after an outage of the receiver. They are sent at the pace of an endpoint that is enabled again. Attempt numbers and the delays after them stay the same.
         */
        post: operations["webhooks.retry-now"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the event log
         * @description Every event of the organization that was accepted in the last 30 days, oldest first, whether or not an endpoint subscribes to it. Store `next_cursor` and continue with it, also later: it returns every event that follows, once. If few events match the filters, a page may contain fewer items than `limit`, or none. You have reached the present end when a page is empty and its `next_cursor` is the `cursor` of the request. `webhook.ping` and test events are not in the log.
         */
        get: operations["events.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/histogram": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the events of the organization over time
         * @description Counts the events of the event log by their `created_at`, with the filters of the log. By `types`, and by an object and an account together, at most the newest 20,000 events are counted.
         */
        get: operations["events.histogram"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an event with its deliveries
         * @description Shows what became of an event. Events are kept for 30 days.
         */
        get: operations["events.get"];
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
        /** @description The rate limit of the key, for example `"per-key";q=600;w=60`: at most `q` requests in any `w` seconds. Absent without a key. */
        "RateLimit-Policy": string;
        /** @description What is left of the rate limit, for example `"per-key";r=599;t=60`: `r` requests, and `t` seconds until the window resets. Absent without a key. */
        RateLimit: string;
        /** @description After how many seconds to repeat the request. Absent if repeating it is of no use. */
        "Retry-After": number;
        /** @description `true` if the response is the stored one of an earlier request with the same `Idempotency-Key`. Absent otherwise. */
        "Idempotency-Replayed": string;
        /** @description The `cursor` of what is left after an export. Absent from pages, and if nothing is left. */
        "X-Next-Cursor": string;
        /** @description Which credentials are accepted (RFC 6750): `Bearer`, with an `error` if the given ones are invalid. */
        "WWW-Authenticate": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "auth.me": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The user whose rights the request has. */
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
                        };
                        /** @description The roles of the user: `admin`, `support`, `reseller` or `customer`. */
                        roles: string[];
                        /** @description The permissions of the roles. A key that is limited to accounts has fewer. */
                        permissions: string[];
                        /** @description `"all"`, or the ids of the accounts that the caller can access. A key that is limited to accounts reaches those of them that its user can access. */
                        accounts: "all" | string[];
                        /** @description The key of the request. Null for a request with a session. */
                        key: {
                            /** @description The key id: 12 characters, the public part of the token. */
                            id: string;
                            /** @description The name of the key, for people. */
                            name: string;
                            /** @description `personal` acts as its user. `organization` acts as a service user of its own and outlives the people who created it. */
                            kind: "personal" | "organization" | (string & {});
                            /** @description How the key was created: in the panel, by the API, by a device login, or, `workload`, as a workload key. */
                            source: "panel" | "api" | "device" | "workload" | (string & {});
                            /** @description What a workload key exchanges for its tokens. Null for other keys. */
                            workload: {
                                /** @description The issuer of the identity tokens, whose OpenID Connect configuration is read. */
                                issuer: string;
                                /** @description The claims that the identity token must have: each with one string, or with up to 20. A name that begins with `/` is a JSON Pointer to a nested claim. A string may end in `*`, for any rest. */
                                conditions: {
                                    [key: string]: string | string[];
                                };
                                /** @description How long an exchanged token is valid, in seconds. Default: 900. */
                                token_lifetime_seconds: number;
                                /** @description Whether each identity token is exchanged once. If not, the processes of a machine can share one. Default: true for GitHub and GitLab, false for other issuers. */
                                single_use: boolean;
                                /** @description The audience that the identity token must name. */
                                audience: string;
                            } | null;
                            /** @description What the key may do: `<resource>:read`, `<resource>:write`, `*:read` or `*`. The roles of its user limit it further. */
                            scopes: string[];
                            /** @description Only `active` keys are accepted. If several apply, the first of `revoked`, `expired` and `disabled`. */
                            status: "active" | "disabled" | "expired" | "revoked" | (string & {});
                            /**
                             * Format: date-time
                             * @description When the key expires. Null if it does not expire.
                             */
                            expires_at: string | null;
                            /** @description The IP addresses and CIDR ranges that may use the key. Null for all. */
                            ip_allowlist: string[] | null;
                            /** @description True if the entries of the IP allowlist together admit more than a /8 (IPv4) or a /32 (IPv6). Otherwise left out. */
                            ip_allowlist_wide?: boolean;
                            /** @description The most requests in any 60 seconds. */
                            rate_limit_per_minute: number;
                            /** @description False if the key was disabled. */
                            enabled: boolean;
                            /** @description The ids of the accounts that the key is limited to; null if it is not limited. */
                            accounts: string[] | null;
                            /** @description The id under which your own tools know it: letters, digits and `._:/-`. Unique in the organization. Null for none. */
                            external_id: string | null;
                            /** @description The id of the key that created it. Null if it was created with a session. */
                            parent_key_id: string | null;
                            /** @description The user or service user that the key acts as. */
                            user: {
                                /**
                                 * Format: uuid
                                 * @description The id of the user.
                                 */
                                id: string;
                                /** @description The name of the user. */
                                name: string;
                            };
                            /** @description The user who created the key. Null if that user has been deleted. */
                            created_by: {
                                /**
                                 * Format: uuid
                                 * @description The id of the user.
                                 */
                                id: string;
                                /** @description The name of the user. */
                                name: string;
                            } | null;
                            /**
                             * Format: date-time
                             * @description When the key was created.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description When the key was last changed.
                             */
                            updated_at: string;
                            /**
                             * Format: date-time
                             * @description When the key was last rotated. Null if it never was.
                             */
                            rotated_at: string | null;
                            /**
                             * Format: date-time
                             * @description When the last of the old secrets ends. Null if only the current one is valid.
                             */
                            previous_secret_expires_at: string | null;
                            /**
                             * Format: date-time
                             * @description When one of the old secrets that are still valid was last used, whatever the response. It may lag by up to 10 seconds. Null if none was used, or none is valid.
                             */
                            previous_secret_last_used_at: string | null;
                            /**
                             * Format: date-time
                             * @description When the key was revoked. Null if it is not revoked.
                             */
                            revoked_at: string | null;
                            /**
                             * Format: date-time
                             * @description When the key was last used, whatever the response. It may lag by up to 10 seconds. Null if it was never used.
                             */
                            last_used_at: string | null;
                            /** @description The client address of the last use. Null if the key was never used. */
                            last_used_ip: string | null;
                            /** @description The number of requests today, in UTC, whatever the responses. It may lag by up to 10 seconds. */
                            requests_today: number;
                            /** @description The scopes that no request has needed in the last 30 days: if several scopes cover a request, it needs the narrowest. Null if the key is younger, or its requests were not counted for so long. */
                            unused_scopes: string[] | null;
                        } | null;
                    };
                };
            };
        };
    };
    "auth.token": {
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
                    /** @description `urn:ietf:params:oauth:grant-type:token-exchange`. */
                    grant_type: string;
                    /** @description The identity token: a JWT that is signed by the issuer of the key. */
                    subject_token: string;
                    /** @description `urn:ietf:params:oauth:token-type:id_token` or `urn:ietf:params:oauth:token-type:jwt`. */
                    subject_token_type: string;
                };
                "application/x-www-form-urlencoded": {
                    /** @description `urn:ietf:params:oauth:grant-type:token-exchange`. */
                    grant_type: string;
                    /** @description The identity token: a JWT that is signed by the issuer of the key. */
                    subject_token: string;
                    /** @description `urn:ietf:params:oauth:token-type:id_token` or `urn:ietf:params:oauth:token-type:jwt`. */
                    subject_token_type: string;
                };
            };
        };
        responses: {
            /** @description The token. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The token, in the format of API keys. It is returned only once. */
                        access_token: string;
                        /** @description `Bearer`. */
                        token_type: string;
                        /** @description How long the token is valid, in seconds. */
                        expires_in: number;
                        /** @description The scopes of the key, separated by spaces. */
                        scope: string;
                        /** @description `urn:ietf:params:oauth:token-type:access_token`. */
                        issued_token_type: string;
                    };
                };
            };
        };
    };
    "auth.session.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
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
                            /** @description The name of the user. */
                            name: string;
                            /** @description The email address of the user. Null for a service user. */
                            email: string | null;
                            /** @description `human` for a person, `service` for the user that an organization key acts as. */
                            kind: "human" | "service" | (string & {});
                        };
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
                        };
                        /** @description Send it with every write in the `X-CSRF-Token` header. Null in a replayed response. */
                        csrf_token: string | null;
                        /**
                         * Format: date-time
                         * @description When the person last confirmed their identity, by signing in or by a confirmation. Sensitive operations need a confirmation within the last 5 minutes.
                         */
                        confirmed_at: string;
                        /**
                         * Format: date-time
                         * @description When the session expires unless it is used again.
                         */
                        expires_at: string;
                        /** @description The person who impersonates the user; null without impersonation. */
                        impersonator: {
                            /**
                             * Format: uuid
                             * @description The id of the user.
                             */
                            id: string;
                            /** @description The name of the user. */
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The email address of the person, in any case. */
                    email: string;
                    /** @description The current password of the person. */
                    password: string;
                    /** @description The current code of the authenticator app, or a recovery code. Required if the person has an authenticator. */
                    totp_code?: string;
                } | {
                    /** @description The `AuthenticationResponseJSON` of the browser: `toJSON()` of the credential that it returned for the options of `POST /auth/session/passkey-options`. */
                    passkey: {
                        /** @description The id of the credential, in base64url. */
                        id: string;
                        /** @description The same as `id`. */
                        rawId: string;
                        /**
                         * @description Always `public-key`.
                         * @constant
                         */
                        type: "public-key";
                        /** @description The response of the authenticator. */
                        response: {
                            /** @description What the browser signed, with the challenge, in base64url. */
                            clientDataJSON: string;
                            /** @description The data of the authenticator, in base64url. */
                            authenticatorData: string;
                            /** @description The signature, in base64url. */
                            signature: string;
                            /** @description The handle of the person, in base64url. */
                            userHandle?: string | null;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Signed in, with the cookie. */
            201: {
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
                            /** @description The name of the user. */
                            name: string;
                            /** @description The email address of the user. Null for a service user. */
                            email: string | null;
                            /** @description `human` for a person, `service` for the user that an organization key acts as. */
                            kind: "human" | "service" | (string & {});
                        };
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
                        };
                        /** @description Send it with every write in the `X-CSRF-Token` header. Null in a replayed response. */
                        csrf_token: string | null;
                        /**
                         * Format: date-time
                         * @description When the person last confirmed their identity, by signing in or by a confirmation. Sensitive operations need a confirmation within the last 5 minutes.
                         */
                        confirmed_at: string;
                        /**
                         * Format: date-time
                         * @description When the session expires unless it is used again.
                         */
                        expires_at: string;
                        /** @description The person who impersonates the user; null without impersonation. */
                        impersonator: {
                            /**
                             * Format: uuid
                             * @description The id of the user.
                             */
                            id: string;
                            /** @description The name of the user. */
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The current password of the person. */
                    password: string;
                    /** @description The current code of the authenticator app, 6 digits. */
                    totp_code?: string;
                } | {
                    /** @description The `AuthenticationResponseJSON` of the browser: `toJSON()` of the credential that it returned for the options of `POST /auth/session/passkey-options`. */
                    passkey: {
                        /** @description The id of the credential, in base64url. */
                        id: string;
                        /** @description The same as `id`. */
                        rawId: string;
                        /**
                         * @description Always `public-key`.
                         * @constant
                         */
                        type: "public-key";
                        /** @description The response of the authenticator. */
                        response: {
                            /** @description What the browser signed, with the challenge, in base64url. */
                            clientDataJSON: string;
                            /** @description The data of the authenticator, in base64url. */
                            authenticatorData: string;
                            /** @description The signature, in base64url. */
                            signature: string;
                            /** @description The handle of the person, in base64url. */
                            userHandle?: string | null;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Confirmed, with a new cookie. */
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
                            /** @description The name of the user. */
                            name: string;
                            /** @description The email address of the user. Null for a service user. */
                            email: string | null;
                            /** @description `human` for a person, `service` for the user that an organization key acts as. */
                            kind: "human" | "service" | (string & {});
                        };
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
                        };
                        /** @description Send it with every write in the `X-CSRF-Token` header. Null in a replayed response. */
                        csrf_token: string | null;
                        /**
                         * Format: date-time
                         * @description When the person last confirmed their identity, by signing in or by a confirmation. Sensitive operations need a confirmation within the last 5 minutes.
                         */
                        confirmed_at: string;
                        /**
                         * Format: date-time
                         * @description When the session expires unless it is used again.
                         */
                        expires_at: string;
                        /** @description The person who impersonates the user; null without impersonation. */
                        impersonator: {
                            /**
                             * Format: uuid
                             * @description The id of the user.
                             */
                            id: string;
                            /** @description The name of the user. */
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
                /** @description The most items of a page, 1 to 100. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. Without it, the list starts with the newest item. */
                cursor?: string;
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
            /** @description A page of sessions. */
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
                             * @description The id of the session.
                             */
                            id: string;
                            /** @description The client address that signed in. */
                            ip: string;
                            /** @description The `User-Agent` of the browser that signed in. */
                            user_agent: string;
                            /**
                             * Format: date-time
                             * @description When the person signed in.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description When the session was last used. It may lag by a minute.
                             */
                            last_seen_at: string;
                            /**
                             * Format: date-time
                             * @description When the session expires unless it is used again.
                             */
                            expires_at: string;
                            /** @description Whether it is the session of this request. */
                            current: boolean;
                        }[];
                        /** @description The `cursor` of the next page. Null on the last page. */
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
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
    "auth.password": {
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
                    /** @description The new password. It must be neither common nor your email address. */
                    new_password: string;
                };
            };
        };
        responses: {
            /** @description The password is changed, and the session has a new cookie. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description An `otpauth:` URI with the seed, for the authenticator app. It is returned only once. Null in a replayed response. */
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The current code of the authenticator app, 6 digits. */
                    totp_code: string;
                };
            };
        };
        responses: {
            /** @description Activated. Each recovery code can be used once instead of an authenticator code at sign-in. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The recovery codes. They are returned only once. Null in a replayed response. */
                        recovery_codes: string[] | null;
                    };
                };
            };
        };
    };
    "auth.session.passkey-options": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
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
            /** @description The options. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A `PublicKeyCredentialRequestOptionsJSON` for `PublicKeyCredential.parseRequestOptionsFromJSON` (WebAuthn Level 3). */
                        options: Record<string, never>;
                    };
                };
            };
        };
    };
    "auth.passkeys.list": {
        parameters: {
            query?: {
                /** @description The most items of a page, 1 to 100. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. Without it, the list starts with the newest item. */
                cursor?: string;
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
            /** @description A page of passkeys. */
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
                             * @description The id of the passkey.
                             */
                            id: string;
                            /** @description The name of the passkey. */
                            name: string;
                            /**
                             * Format: date-time
                             * @description When the passkey was added.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description When the passkey was last used. Null if it was not used yet.
                             */
                            last_used_at: string | null;
                            /** @description Whether the provider of the passkey keeps a copy of it, for other devices of the person. */
                            backed_up: boolean;
                        }[];
                        /** @description The `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    "auth.passkeys.create": {
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
                    /** @description A name to recognize the passkey by, 1 to 100 characters. */
                    name: string;
                    /** @description The `RegistrationResponseJSON` of the browser: `toJSON()` of the new credential. */
                    credential: {
                        /** @description The id of the credential, in base64url. */
                        id: string;
                        /** @description The same as `id`. */
                        rawId: string;
                        /**
                         * @description Always `public-key`.
                         * @constant
                         */
                        type: "public-key";
                        /** @description The response of the authenticator. */
                        response: {
                            /** @description What the browser signed, with the challenge, in base64url. */
                            clientDataJSON: string;
                            /** @description The new credential, in base64url. */
                            attestationObject: string;
                            /** @description How the browser reaches the authenticator. */
                            transports?: string[] | null;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description The passkey. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The passkey. */
                        passkey: {
                            /**
                             * Format: uuid
                             * @description The id of the passkey.
                             */
                            id: string;
                            /** @description The name of the passkey. */
                            name: string;
                            /**
                             * Format: date-time
                             * @description When the passkey was added.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description When the passkey was last used. Null if it was not used yet.
                             */
                            last_used_at: string | null;
                            /** @description Whether the provider of the passkey keeps a copy of it, for other devices of the person. */
                            backed_up: boolean;
                        };
                    };
                };
            };
        };
    };
    "auth.passkeys.options": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
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
            /** @description The options. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A `PublicKeyCredentialCreationOptionsJSON` for `PublicKeyCredential.parseCreationOptionsFromJSON` (WebAuthn Level 3). */
                        options: Record<string, never>;
                    };
                };
            };
        };
    };
    "auth.passkeys.remove": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the passkey. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The passkey is removed. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "auth.impersonation.start": {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
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
                     * @description The id of the user to impersonate.
                     */
                    user_id: string;
                };
            };
        };
        responses: {
            /** @description The session now acts as the user. */
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
                            /** @description The name of the user. */
                            name: string;
                            /** @description The email address of the user. Null for a service user. */
                            email: string | null;
                            /** @description `human` for a person, `service` for the user that an organization key acts as. */
                            kind: "human" | "service" | (string & {});
                        };
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
                        };
                        /** @description Send it with every write in the `X-CSRF-Token` header. Null in a replayed response. */
                        csrf_token: string | null;
                        /**
                         * Format: date-time
                         * @description When the person last confirmed their identity, by signing in or by a confirmation. Sensitive operations need a confirmation within the last 5 minutes.
                         */
                        confirmed_at: string;
                        /**
                         * Format: date-time
                         * @description When the session expires unless it is used again.
                         */
                        expires_at: string;
                        /** @description The person who impersonates the user; null without impersonation. */
                        impersonator: {
                            /**
                             * Format: uuid
                             * @description The id of the user.
                             */
                            id: string;
                            /** @description The name of the user. */
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
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
                            /** @description The name of the user. */
                            name: string;
                            /** @description The email address of the user. Null for a service user. */
                            email: string | null;
                            /** @description `human` for a person, `service` for the user that an organization key acts as. */
                            kind: "human" | "service" | (string & {});
                        };
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
                        };
                        /** @description Send it with every write in the `X-CSRF-Token` header. Null in a replayed response. */
                        csrf_token: string | null;
                        /**
                         * Format: date-time
                         * @description When the person last confirmed their identity, by signing in or by a confirmation. Sensitive operations need a confirmation within the last 5 minutes.
                         */
                        confirmed_at: string;
                        /**
                         * Format: date-time
                         * @description When the session expires unless it is used again.
                         */
                        expires_at: string;
                        /** @description The person who impersonates the user; null without impersonation. */
                        impersonator: {
                            /**
                             * Format: uuid
                             * @description The id of the user.
                             */
                            id: string;
                            /** @description The name of the user. */
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
                /** @description The most items of a page, 1 to 100. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. Without it, the list starts with the newest item. */
                cursor?: string;
                /** @description `true`: only unread notices. `false`: only those that were read. Default: all. */
                unread?: "true" | "false";
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
            /** @description A page of notices. */
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
                             * Format: date-time
                             * @description When you marked it as read. Null while it is unread.
                             */
                            read_at: string | null;
                            /** @description What happened, in one line. */
                            title: string;
                        }[];
                        /** @description The `cursor` of the next page. Null on the last page. */
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The ids of the notices. Default: all of your notices. */
                    ids?: string[];
                };
            };
        };
        responses: {
            /** @description The notices are read. */
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
    "auth.notification-settings.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Which notices you get by email, by category. */
                        email: {
                            /** @description Notices of types `webhook.*`. */
                            webhooks: boolean;
                            /** @description Notices of types `api_key.*`. */
                            api_keys: boolean;
                            /** @description Notices of types `sign_in.*` and `security.*`. */
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Which notices you get by email, by category. */
                    email: {
                        /** @description Notices of types `webhook.*`. */
                        webhooks: boolean;
                        /** @description Notices of types `api_key.*`. */
                        api_keys: boolean;
                        /** @description Notices of types `sign_in.*` and `security.*`. */
                        security: boolean;
                    };
                };
            };
        };
        responses: {
            /** @description The settings. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Which notices you get by email, by category. */
                        email: {
                            /** @description Notices of types `webhook.*`. */
                            webhooks: boolean;
                            /** @description Notices of types `api_key.*`. */
                            api_keys: boolean;
                            /** @description Notices of types `sign_in.*` and `security.*`. */
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The secret with which the client polls. Do not show it to the person. */
                        device_code: string;
                        /** @description The short code that the person enters or compares, `XXXX-XXXX`. */
                        user_code: string;
                        /** @description The page of the panel on which the person enters the code. */
                        verification_uri: string;
                        /** @description The same page with the code filled in, for a link. */
                        verification_uri_complete: string;
                        /** @description The lifetime of the codes, in seconds. */
                        expires_in: number;
                        /** @description The minimum time between two polls, in seconds. */
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The `device_code` of the start. */
                    device_code: string;
                };
            };
        };
        responses: {
            /** @description The key and its token, which is returned only once. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The full token of the key. It is returned only once. */
                        token: string;
                        /** @description The new personal key. */
                        key: {
                            /** @description The key id: 12 characters, the public part of the token. */
                            id: string;
                            /** @description The name of the key, for people. */
                            name: string;
                            /** @description `personal` acts as its user. `organization` acts as a service user of its own and outlives the people who created it. */
                            kind: "personal" | "organization" | (string & {});
                            /** @description How the key was created: in the panel, by the API, by a device login, or, `workload`, as a workload key. */
                            source: "panel" | "api" | "device" | "workload" | (string & {});
                            /** @description What a workload key exchanges for its tokens. Null for other keys. */
                            workload: {
                                /** @description The issuer of the identity tokens, whose OpenID Connect configuration is read. */
                                issuer: string;
                                /** @description The claims that the identity token must have: each with one string, or with up to 20. A name that begins with `/` is a JSON Pointer to a nested claim. A string may end in `*`, for any rest. */
                                conditions: {
                                    [key: string]: string | string[];
                                };
                                /** @description How long an exchanged token is valid, in seconds. Default: 900. */
                                token_lifetime_seconds: number;
                                /** @description Whether each identity token is exchanged once. If not, the processes of a machine can share one. Default: true for GitHub and GitLab, false for other issuers. */
                                single_use: boolean;
                                /** @description The audience that the identity token must name. */
                                audience: string;
                            } | null;
                            /** @description What the key may do: `<resource>:read`, `<resource>:write`, `*:read` or `*`. The roles of its user limit it further. */
                            scopes: string[];
                            /** @description Only `active` keys are accepted. If several apply, the first of `revoked`, `expired` and `disabled`. */
                            status: "active" | "disabled" | "expired" | "revoked" | (string & {});
                            /**
                             * Format: date-time
                             * @description When the key expires. Null if it does not expire.
                             */
                            expires_at: string | null;
                            /** @description The IP addresses and CIDR ranges that may use the key. Null for all. */
                            ip_allowlist: string[] | null;
                            /** @description True if the entries of the IP allowlist together admit more than a /8 (IPv4) or a /32 (IPv6). Otherwise left out. */
                            ip_allowlist_wide?: boolean;
                            /** @description The most requests in any 60 seconds. */
                            rate_limit_per_minute: number;
                            /** @description False if the key was disabled. */
                            enabled: boolean;
                            /** @description The ids of the accounts that the key is limited to; null if it is not limited. */
                            accounts: string[] | null;
                            /** @description The id under which your own tools know it: letters, digits and `._:/-`. Unique in the organization. Null for none. */
                            external_id: string | null;
                            /** @description The id of the key that created it. Null if it was created with a session. */
                            parent_key_id: string | null;
                            /** @description The user or service user that the key acts as. */
                            user: {
                                /**
                                 * Format: uuid
                                 * @description The id of the user.
                                 */
                                id: string;
                                /** @description The name of the user. */
                                name: string;
                            };
                            /** @description The user who created the key. Null if that user has been deleted. */
                            created_by: {
                                /**
                                 * Format: uuid
                                 * @description The id of the user.
                                 */
                                id: string;
                                /** @description The name of the user. */
                                name: string;
                            } | null;
                            /**
                             * Format: date-time
                             * @description When the key was created.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description When the key was last changed.
                             */
                            updated_at: string;
                            /**
                             * Format: date-time
                             * @description When the key was last rotated. Null if it never was.
                             */
                            rotated_at: string | null;
                            /**
                             * Format: date-time
                             * @description When the last of the old secrets ends. Null if only the current one is valid.
                             */
                            previous_secret_expires_at: string | null;
                            /**
                             * Format: date-time
                             * @description When one of the old secrets that are still valid was last used, whatever the response. It may lag by up to 10 seconds. Null if none was used, or none is valid.
                             */
                            previous_secret_last_used_at: string | null;
                            /**
                             * Format: date-time
                             * @description When the key was revoked. Null if it is not revoked.
                             */
                            revoked_at: string | null;
                            /**
                             * Format: date-time
                             * @description When the key was last used, whatever the response. It may lag by up to 10 seconds. Null if it was never used.
                             */
                            last_used_at: string | null;
                            /** @description The client address of the last use. Null if the key was never used. */
                            last_used_ip: string | null;
                            /** @description The number of requests today, in UTC, whatever the responses. It may lag by up to 10 seconds. */
                            requests_today: number;
                            /** @description The scopes that no request has needed in the last 30 days: if several scopes cover a request, it needs the narrowest. Null if the key is younger, or its requests were not counted for so long. */
                            unused_scopes: string[] | null;
                        };
                        /** @description The organization of the key. */
                        tenant: {
                            /** @description The short name of the organization, which the platform chooses. */
                            slug: string;
                            /** @description The name of the organization. */
                            name: string;
                        };
                        /** @description The person who approved, as whom the key acts. */
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
                    };
                };
            };
        };
    };
    "auth.device.requests.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The user code that the client shows. Case, spaces and dashes are ignored. */
                user_code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The device login. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The device login. */
                        request: {
                            /** @description The name that the client gave itself. It is not verified. */
                            client_name: string;
                            /** @description The client address that started the device login. */
                            ip: string;
                            /** @description The `User-Agent` of the client; empty if it sent none. */
                            user_agent: string;
                            /**
                             * Format: date-time
                             * @description When the device login was started.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description When the codes expire.
                             */
                            expires_at: string;
                            /** @description `pending` until someone decides. `approved` until the client has received the key, then `delivered`. */
                            status: "pending" | "approved" | "denied" | "delivered" | "expired" | (string & {});
                            /** @description The scopes to which the client limits the key, whatever access is approved. Missing if it requests no limit. */
                            scopes?: string[];
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The user code that the client shows. Case, spaces and dashes are ignored. */
                user_code: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description What the key may do: `full` for the scope `*`, `read_only` for `*:read`.
                     * @enum {string}
                     */
                    access: "full" | "read_only";
                    /** @description Limits the key to these accounts, as if they were the only ones assigned to its user; null for no limit, which is the default. */
                    accounts?: string[] | null;
                };
            };
        };
        responses: {
            /** @description The approved device login. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The device login. */
                        request: {
                            /** @description The name that the client gave itself. It is not verified. */
                            client_name: string;
                            /** @description The client address that started the device login. */
                            ip: string;
                            /** @description The `User-Agent` of the client; empty if it sent none. */
                            user_agent: string;
                            /**
                             * Format: date-time
                             * @description When the device login was started.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description When the codes expire.
                             */
                            expires_at: string;
                            /** @description `pending` until someone decides. `approved` until the client has received the key, then `delivered`. */
                            status: "pending" | "approved" | "denied" | "delivered" | "expired" | (string & {});
                            /** @description The scopes to which the client limits the key, whatever access is approved. Missing if it requests no limit. */
                            scopes?: string[];
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The user code that the client shows. Case, spaces and dashes are ignored. */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The device login. */
                        request: {
                            /** @description The name that the client gave itself. It is not verified. */
                            client_name: string;
                            /** @description The client address that started the device login. */
                            ip: string;
                            /** @description The `User-Agent` of the client; empty if it sent none. */
                            user_agent: string;
                            /**
                             * Format: date-time
                             * @description When the device login was started.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description When the codes expire.
                             */
                            expires_at: string;
                            /** @description `pending` until someone decides. `approved` until the client has received the key, then `delivered`. */
                            status: "pending" | "approved" | "denied" | "delivered" | "expired" | (string & {});
                            /** @description The scopes to which the client limits the key, whatever access is approved. Missing if it requests no limit. */
                            scopes?: string[];
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The name of the edition, for example `standard`. */
                        edition: string;
                        /** @description The names of the features. */
                        features: string[];
                        /** @description The limits by name. Each name ends with what is counted or with the unit. New limits may be added. */
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The key policy. */
                        policy: {
                            /** @description The longest time from `created_at` to `expires_at`, in days. Null for no limit, so keys may have no expiry. */
                            max_lifetime_days: number | null;
                            /** @description Whether every key needs an IP allowlist. */
                            ip_allowlist_required: boolean;
                            /** @description Whether keys of kind `personal` are allowed, including those of device logins. */
                            personal_keys_allowed: boolean;
                        };
                        /** @description What weakens the policy. `wide_ip_allowlist`: IP allowlists are required, and those of some keys admit more than a /8 (IPv4) or a /32 (IPv6); `GET /api-keys?wide_ip_allowlist=true` lists the keys. Left out if there is no warning. */
                        warnings?: {
                            /** @description What the warning is about. */
                            code: "wide_ip_allowlist" | (string & {});
                            /** @description How many keys it is about. */
                            keys: number;
                            /** @description The warning as a sentence. */
                            message: string;
                        }[];
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The longest time from `created_at` to `expires_at`, in days. Null for no limit, so keys may have no expiry. */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The key policy. */
                        policy: {
                            /** @description The longest time from `created_at` to `expires_at`, in days. Null for no limit, so keys may have no expiry. */
                            max_lifetime_days: number | null;
                            /** @description Whether every key needs an IP allowlist. */
                            ip_allowlist_required: boolean;
                            /** @description Whether keys of kind `personal` are allowed, including those of device logins. */
                            personal_keys_allowed: boolean;
                        };
                        /** @description What weakens the policy. `wide_ip_allowlist`: IP allowlists are required, and those of some keys admit more than a /8 (IPv4) or a /32 (IPv6); `GET /api-keys?wide_ip_allowlist=true` lists the keys. Left out if there is no warning. */
                        warnings?: {
                            /** @description What the warning is about. */
                            code: "wide_ip_allowlist" | (string & {});
                            /** @description How many keys it is about. */
                            keys: number;
                            /** @description The warning as a sentence. */
                            message: string;
                        }[];
                    };
                };
            };
        };
    };
    "tenant.security-policy": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The security policy. */
                        policy: {
                            /** @description Whether people need a passkey or an authenticator app to use a session. Sign-ins by OpenID Connect or a link, and API keys, are not affected. */
                            second_factor_required: boolean;
                            /**
                             * Format: date-time
                             * @description From when on a second factor is required, at most 30 days ahead. Null, or a time in the past, for now.
                             */
                            second_factor_from: string | null;
                            /** @description Who may approve device logins: everyone whose role permits it, only people with the role `admin`, or nobody (`off`). */
                            device_login: "everyone" | "admins" | "off" | (string & {});
                            /** @description Whether a device login must be approved from the IPv4 /24 or IPv6 /48 that requested its code. */
                            device_login_same_network: boolean;
                        };
                    };
                };
            };
        };
    };
    "tenant.put-security-policy": {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Whether people need a passkey or an authenticator app to use a session. Sign-ins by OpenID Connect or a link, and API keys, are not affected. */
                    second_factor_required: boolean;
                    /**
                     * Format: date-time
                     * @description From when on a second factor is required, at most 30 days ahead. Null, or a time in the past, for now.
                     */
                    second_factor_from: string | null;
                    /**
                     * @description Who may approve device logins: everyone whose role permits it, only people with the role `admin`, or nobody (`off`).
                     * @enum {string}
                     */
                    device_login: "everyone" | "admins" | "off";
                    /** @description Whether a device login must be approved from the IPv4 /24 or IPv6 /48 that requested its code. */
                    device_login_same_network: boolean;
                };
            };
        };
        responses: {
            /** @description The new policy. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The security policy. */
                        policy: {
                            /** @description Whether people need a passkey or an authenticator app to use a session. Sign-ins by OpenID Connect or a link, and API keys, are not affected. */
                            second_factor_required: boolean;
                            /**
                             * Format: date-time
                             * @description From when on a second factor is required, at most 30 days ahead. Null, or a time in the past, for now.
                             */
                            second_factor_from: string | null;
                            /** @description Who may approve device logins: everyone whose role permits it, only people with the role `admin`, or nobody (`off`). */
                            device_login: "everyone" | "admins" | "off" | (string & {});
                            /** @description Whether a device login must be approved from the IPv4 /24 or IPv6 /48 that requested its code. */
                            device_login_same_network: boolean;
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description All scopes. */
                        items: {
                            /** @description The scope, as keys have it. */
                            scope: string;
                            /** @description The resource that the scope covers. Null if it covers every resource. */
                            resource: string | null;
                            /** @description `read` or `write`. Null for `*`, which covers both. */
                            access: string | null;
                            /** @description The permissions that the scope covers. */
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
                /** @description The most items of a page, 1 to 100. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. Without it, the list starts with the newest item. */
                cursor?: string;
                /** @description Only keys of this kind. */
                kind?: "personal" | "organization";
                /** @description Only keys with this status. */
                status?: "active" | "disabled" | "expired" | "revoked";
                /** @description Only keys whose name contains this text, case-insensitive. */
                q?: string;
                /** @description Only keys that act as this user. */
                user_id?: string;
                /** @description Only the keys with this external id. */
                external_id?: string;
                /** @description `false`: only keys that are not revoked. Default: all keys. */
                revoked?: "false";
                /** @description `true`: only keys whose IP allowlist admits more than a /8 (IPv4) or a /32 (IPv6), without revoked and expired ones. */
                wide_ip_allowlist?: "true";
                /** @description `true`: only keys that violate the key policy of the organization, without revoked and expired ones. */
                violates_policy?: "true";
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
            /** @description A page of keys. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of the page, newest first. */
                        items: {
                            /** @description The key id: 12 characters, the public part of the token. */
                            id: string;
                            /** @description The name of the key, for people. */
                            name: string;
                            /** @description `personal` acts as its user. `organization` acts as a service user of its own and outlives the people who created it. */
                            kind: "personal" | "organization" | (string & {});
                            /** @description How the key was created: in the panel, by the API, by a device login, or, `workload`, as a workload key. */
                            source: "panel" | "api" | "device" | "workload" | (string & {});
                            /** @description What a workload key exchanges for its tokens. Null for other keys. */
                            workload: {
                                /** @description The issuer of the identity tokens, whose OpenID Connect configuration is read. */
                                issuer: string;
                                /** @description The claims that the identity token must have: each with one string, or with up to 20. A name that begins with `/` is a JSON Pointer to a nested claim. A string may end in `*`, for any rest. */
                                conditions: {
                                    [key: string]: string | string[];
                                };
                                /** @description How long an exchanged token is valid, in seconds. Default: 900. */
                                token_lifetime_seconds: number;
                                /** @description Whether each identity token is exchanged once. If not, the processes of a machine can share one. Default: true for GitHub and GitLab, false for other issuers. */
                                single_use: boolean;
                                /** @description The audience that the identity token must name. */
                                audience: string;
                            } | null;
                            /** @description What the key may do: `<resource>:read`, `<resource>:write`, `*:read` or `*`. The roles of its user limit it further. */
                            scopes: string[];
                            /** @description Only `active` keys are accepted. If several apply, the first of `revoked`, `expired` and `disabled`. */
                            status: "active" | "disabled" | "expired" | "revoked" | (string & {});
                            /**
                             * Format: date-time
                             * @description When the key expires. Null if it does not expire.
                             */
                            expires_at: string | null;
                            /** @description The IP addresses and CIDR ranges that may use the key. Null for all. */
                            ip_allowlist: string[] | null;
                            /** @description True if the entries of the IP allowlist together admit more than a /8 (IPv4) or a /32 (IPv6). Otherwise left out. */
                            ip_allowlist_wide?: boolean;
                            /** @description The most requests in any 60 seconds. */
                            rate_limit_per_minute: number;
                            /** @description False if the key was disabled. */
                            enabled: boolean;
                            /** @description The ids of the accounts that the key is limited to; null if it is not limited. */
                            accounts: string[] | null;
                            /** @description The id under which your own tools know it: letters, digits and `._:/-`. Unique in the organization. Null for none. */
                            external_id: string | null;
                            /** @description The id of the key that created it. Null if it was created with a session. */
                            parent_key_id: string | null;
                            /** @description The user or service user that the key acts as. */
                            user: {
                                /**
                                 * Format: uuid
                                 * @description The id of the user.
                                 */
                                id: string;
                                /** @description The name of the user. */
                                name: string;
                            };
                            /** @description The user who created the key. Null if that user has been deleted. */
                            created_by: {
                                /**
                                 * Format: uuid
                                 * @description The id of the user.
                                 */
                                id: string;
                                /** @description The name of the user. */
                                name: string;
                            } | null;
                            /**
                             * Format: date-time
                             * @description When the key was created.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description When the key was last changed.
                             */
                            updated_at: string;
                            /**
                             * Format: date-time
                             * @description When the key was last rotated. Null if it never was.
                             */
                            rotated_at: string | null;
                            /**
                             * Format: date-time
                             * @description When the last of the old secrets ends. Null if only the current one is valid.
                             */
                            previous_secret_expires_at: string | null;
                            /**
                             * Format: date-time
                             * @description When one of the old secrets that are still valid was last used, whatever the response. It may lag by up to 10 seconds. Null if none was used, or none is valid.
                             */
                            previous_secret_last_used_at: string | null;
                            /**
                             * Format: date-time
                             * @description When the key was revoked. Null if it is not revoked.
                             */
                            revoked_at: string | null;
                            /**
                             * Format: date-time
                             * @description When the key was last used, whatever the response. It may lag by up to 10 seconds. Null if it was never used.
                             */
                            last_used_at: string | null;
                            /** @description The client address of the last use. Null if the key was never used. */
                            last_used_ip: string | null;
                            /** @description The number of requests today, in UTC, whatever the responses. It may lag by up to 10 seconds. */
                            requests_today: number;
                            /** @description The scopes that no request has needed in the last 30 days: if several scopes cover a request, it needs the narrowest. Null if the key is younger, or its requests were not counted for so long. */
                            unused_scopes: string[] | null;
                        }[];
                        /** @description The `cursor` of the next page. Null on the last page. */
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A name for people, with at least one visible character and no control characters. */
                    name: string;
                    /** @description What the key may do: `<resource>:read`, `<resource>:write`, `*:read` or `*`. No scope gives more than the roles of the user. */
                    scopes: string[];
                    /**
                     * @description `personal` acts as you. `organization` acts as a service user of its own with the role admin. Default: `personal`.
                     * @enum {string}
                     */
                    kind?: "personal" | "organization";
                    /**
                     * Format: date-time
                     * @description When the key expires. It cannot be changed later. Default: null, for no expiry.
                     */
                    expires_at?: string | null;
                    /** @description IP addresses or CIDR ranges that may use the key, without host bits; null for all, which is the default. */
                    ip_allowlist?: (string)[] | null;
                    /** @description Limits the key to these accounts, as if they were the only ones assigned to its user; null for no limit, which is the default. */
                    accounts?: string[] | null;
                    /** @description The most requests in any 60 seconds. Default: 600, which is also the maximum. */
                    rate_limit_per_minute?: number;
                    /** @description Makes a workload key, which has no token: a CI job or a machine exchanges an identity token for a short-lived token at `POST /auth/token`. Only for `organization` keys. */
                    workload?: {
                        /** @description The issuer of the identity tokens, whose OpenID Connect configuration is read. */
                        issuer: string;
                        /** @description The claims that the identity token must have: each with one string, or with up to 20. A name that begins with `/` is a JSON Pointer to a nested claim. A string may end in `*`, for any rest. */
                        conditions: {
                            [key: string]: string | string[];
                        };
                        /** @description How long an exchanged token is valid, in seconds. Default: 900. */
                        token_lifetime_seconds?: number;
                        /** @description Whether each identity token is exchanged once. If not, the processes of a machine can share one. Default: true for GitHub and GitLab, false for other issuers. */
                        single_use?: boolean;
                        /** @description The audience that the identity token must name. No other key of the issuer that is neither revoked nor expired may have it. It cannot be changed later. Default: a URL with the id of the key. */
                        audience?: string;
                    };
                    /** @description The id under which your own tools know it: letters, digits and `._:/-`. Unique in the organization. Only for `organization` keys. Default: null, for none. */
                    external_id?: string | null;
                };
            };
        };
        responses: {
            /** @description The key and its token. The token of a workload key is null. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The key. */
                        key: {
                            /** @description The key id: 12 characters, the public part of the token. */
                            id: string;
                            /** @description The name of the key, for people. */
                            name: string;
                            /** @description `personal` acts as its user. `organization` acts as a service user of its own and outlives the people who created it. */
                            kind: "personal" | "organization" | (string & {});
                            /** @description How the key was created: in the panel, by the API, by a device login, or, `workload`, as a workload key. */
                            source: "panel" | "api" | "device" | "workload" | (string & {});
                            /** @description What a workload key exchanges for its tokens. Null for other keys. */
                            workload: {
                                /** @description The issuer of the identity tokens, whose OpenID Connect configuration is read. */
                                issuer: string;
                                /** @description The claims that the identity token must have: each with one string, or with up to 20. A name that begins with `/` is a JSON Pointer to a nested claim. A string may end in `*`, for any rest. */
                                conditions: {
                                    [key: string]: string | string[];
                                };
                                /** @description How long an exchanged token is valid, in seconds. Default: 900. */
                                token_lifetime_seconds: number;
                                /** @description Whether each identity token is exchanged once. If not, the processes of a machine can share one. Default: true for GitHub and GitLab, false for other issuers. */
                                single_use: boolean;
                                /** @description The audience that the identity token must name. */
                                audience: string;
                            } | null;
                            /** @description What the key may do: `<resource>:read`, `<resource>:write`, `*:read` or `*`. The roles of its user limit it further. */
                            scopes: string[];
                            /** @description Only `active` keys are accepted. If several apply, the first of `revoked`, `expired` and `disabled`. */
                            status: "active" | "disabled" | "expired" | "revoked" | (string & {});
                            /**
                             * Format: date-time
                             * @description When the key expires. Null if it does not expire.
                             */
                            expires_at: string | null;
                            /** @description The IP addresses and CIDR ranges that may use the key. Null for all. */
                            ip_allowlist: string[] | null;
                            /** @description True if the entries of the IP allowlist together admit more than a /8 (IPv4) or a /32 (IPv6). Otherwise left out. */
                            ip_allowlist_wide?: boolean;
                            /** @description The most requests in any 60 seconds. */
                            rate_limit_per_minute: number;
                            /** @description False if the key was disabled. */
                            enabled: boolean;
                            /** @description The ids of the accounts that the key is limited to; null if it is not limited. */
                            accounts: string[] | null;
                            /** @description The id under which your own tools know it: letters, digits and `._:/-`. Unique in the organization. Null for none. */
                            external_id: string | null;
                            /** @description The id of the key that created it. Null if it was created with a session. */
                            parent_key_id: string | null;
                            /** @description The user or service user that the key acts as. */
                            user: {
                                /**
                                 * Format: uuid
                                 * @description The id of the user.
                                 */
                                id: string;
                                /** @description The name of the user. */
                                name: string;
                            };
                            /** @description The user who created the key. Null if that user has been deleted. */
                            created_by: {
                                /**
                                 * Format: uuid
                                 * @description The id of the user.
                                 */
                                id: string;
                                /** @description The name of the user. */
                                name: string;
                            } | null;
                            /**
                             * Format: date-time
                             * @description When the key was created.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description When the key was last changed.
                             */
                            updated_at: string;
                            /**
                             * Format: date-time
                             * @description When the key was last rotated. Null if it never was.
                             */
                            rotated_at: string | null;
                            /**
                             * Format: date-time
                             * @description When the last of the old secrets ends. Null if only the current one is valid.
                             */
                            previous_secret_expires_at: string | null;
                            /**
                             * Format: date-time
                             * @description When one of the old secrets that are still valid was last used, whatever the response. It may lag by up to 10 seconds. Null if none was used, or none is valid.
                             */
                            previous_secret_last_used_at: string | null;
                            /**
                             * Format: date-time
                             * @description When the key was revoked. Null if it is not revoked.
                             */
                            revoked_at: string | null;
                            /**
                             * Format: date-time
                             * @description When the key was last used, whatever the response. It may lag by up to 10 seconds. Null if it was never used.
                             */
                            last_used_at: string | null;
                            /** @description The client address of the last use. Null if the key was never used. */
                            last_used_ip: string | null;
                            /** @description The number of requests today, in UTC, whatever the responses. It may lag by up to 10 seconds. */
                            requests_today: number;
                            /** @description The scopes that no request has needed in the last 30 days: if several scopes cover a request, it needs the narrowest. Null if the key is younger, or its requests were not counted for so long. */
                            unused_scopes: string[] | null;
                        };
                        /** @description The full token, `<prefix>_<key id>_<secret>`. It is returned only once, so store it now. Null in a replayed response. */
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The key id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The key. */
                        key: {
                            /** @description The key id: 12 characters, the public part of the token. */
                            id: string;
                            /** @description The name of the key, for people. */
                            name: string;
                            /** @description `personal` acts as its user. `organization` acts as a service user of its own and outlives the people who created it. */
                            kind: "personal" | "organization" | (string & {});
                            /** @description How the key was created: in the panel, by the API, by a device login, or, `workload`, as a workload key. */
                            source: "panel" | "api" | "device" | "workload" | (string & {});
                            /** @description What a workload key exchanges for its tokens. Null for other keys. */
                            workload: {
                                /** @description The issuer of the identity tokens, whose OpenID Connect configuration is read. */
                                issuer: string;
                                /** @description The claims that the identity token must have: each with one string, or with up to 20. A name that begins with `/` is a JSON Pointer to a nested claim. A string may end in `*`, for any rest. */
                                conditions: {
                                    [key: string]: string | string[];
                                };
                                /** @description How long an exchanged token is valid, in seconds. Default: 900. */
                                token_lifetime_seconds: number;
                                /** @description Whether each identity token is exchanged once. If not, the processes of a machine can share one. Default: true for GitHub and GitLab, false for other issuers. */
                                single_use: boolean;
                                /** @description The audience that the identity token must name. */
                                audience: string;
                            } | null;
                            /** @description What the key may do: `<resource>:read`, `<resource>:write`, `*:read` or `*`. The roles of its user limit it further. */
                            scopes: string[];
                            /** @description Only `active` keys are accepted. If several apply, the first of `revoked`, `expired` and `disabled`. */
                            status: "active" | "disabled" | "expired" | "revoked" | (string & {});
                            /**
                             * Format: date-time
                             * @description When the key expires. Null if it does not expire.
                             */
                            expires_at: string | null;
                            /** @description The IP addresses and CIDR ranges that may use the key. Null for all. */
                            ip_allowlist: string[] | null;
                            /** @description True if the entries of the IP allowlist together admit more than a /8 (IPv4) or a /32 (IPv6). Otherwise left out. */
                            ip_allowlist_wide?: boolean;
                            /** @description The most requests in any 60 seconds. */
                            rate_limit_per_minute: number;
                            /** @description False if the key was disabled. */
                            enabled: boolean;
                            /** @description The ids of the accounts that the key is limited to; null if it is not limited. */
                            accounts: string[] | null;
                            /** @description The id under which your own tools know it: letters, digits and `._:/-`. Unique in the organization. Null for none. */
                            external_id: string | null;
                            /** @description The id of the key that created it. Null if it was created with a session. */
                            parent_key_id: string | null;
                            /** @description The user or service user that the key acts as. */
                            user: {
                                /**
                                 * Format: uuid
                                 * @description The id of the user.
                                 */
                                id: string;
                                /** @description The name of the user. */
                                name: string;
                            };
                            /** @description The user who created the key. Null if that user has been deleted. */
                            created_by: {
                                /**
                                 * Format: uuid
                                 * @description The id of the user.
                                 */
                                id: string;
                                /** @description The name of the user. */
                                name: string;
                            } | null;
                            /**
                             * Format: date-time
                             * @description When the key was created.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description When the key was last changed.
                             */
                            updated_at: string;
                            /**
                             * Format: date-time
                             * @description When the key was last rotated. Null if it never was.
                             */
                            rotated_at: string | null;
                            /**
                             * Format: date-time
                             * @description When the last of the old secrets ends. Null if only the current one is valid.
                             */
                            previous_secret_expires_at: string | null;
                            /**
                             * Format: date-time
                             * @description When one of the old secrets that are still valid was last used, whatever the response. It may lag by up to 10 seconds. Null if none was used, or none is valid.
                             */
                            previous_secret_last_used_at: string | null;
                            /**
                             * Format: date-time
                             * @description When the key was revoked. Null if it is not revoked.
                             */
                            revoked_at: string | null;
                            /**
                             * Format: date-time
                             * @description When the key was last used, whatever the response. It may lag by up to 10 seconds. Null if it was never used.
                             */
                            last_used_at: string | null;
                            /** @description The client address of the last use. Null if the key was never used. */
                            last_used_ip: string | null;
                            /** @description The number of requests today, in UTC, whatever the responses. It may lag by up to 10 seconds. */
                            requests_today: number;
                            /** @description The scopes that no request has needed in the last 30 days: if several scopes cover a request, it needs the narrowest. Null if the key is younger, or its requests were not counted for so long. */
                            unused_scopes: string[] | null;
                        };
                    };
                };
            };
        };
    };
    "api-keys.revoke": {
        parameters: {
            query?: {
                /** @description Whether to also revoke every key that was created with it, directly or indirectly, and every secret that one of them created by rotating another key. They end within 10 seconds. Default: `false`. */
                descendants?: "true" | "false";
            };
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The key id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is revoked. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The key id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A name for people, with at least one visible character and no control characters. */
                    name?: string;
                    /** @description What the key may do: `<resource>:read`, `<resource>:write`, `*:read` or `*`. No scope gives more than the roles of the user. */
                    scopes?: string[];
                    /** @description IP addresses or CIDR ranges that may use the key, without host bits; null for all, which is the default. */
                    ip_allowlist?: (string)[] | null;
                    /** @description Limits the key to these accounts, as if they were the only ones assigned to its user; null for no limit, which is the default. */
                    accounts?: string[] | null;
                    /** @description False disables the key until it is enabled again. Default: unchanged. */
                    enabled?: boolean;
                    /** @description The most requests in any 60 seconds. Default: 600, which is also the maximum. */
                    rate_limit_per_minute?: number;
                    /** @description Only for workload keys, and only with a session. Other conditions end all exchanged tokens. */
                    workload?: {
                        /** @description The claims that the identity token must have: each with one string, or with up to 20. A name that begins with `/` is a JSON Pointer to a nested claim. A string may end in `*`, for any rest. */
                        conditions?: {
                            [key: string]: string | string[];
                        };
                        /** @description How long an exchanged token is valid, in seconds. Default: 900. */
                        token_lifetime_seconds?: number;
                        /** @description Whether each identity token is exchanged once. If not, the processes of a machine can share one. Default: true for GitHub and GitLab, false for other issuers. */
                        single_use?: boolean;
                    };
                    /** @description The id under which your own tools know it: letters, digits and `._:/-`. Unique in the organization. Only for `organization` keys. Default: null, for none. */
                    external_id?: string | null;
                };
            };
        };
        responses: {
            /** @description The updated key. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The key. */
                        key: {
                            /** @description The key id: 12 characters, the public part of the token. */
                            id: string;
                            /** @description The name of the key, for people. */
                            name: string;
                            /** @description `personal` acts as its user. `organization` acts as a service user of its own and outlives the people who created it. */
                            kind: "personal" | "organization" | (string & {});
                            /** @description How the key was created: in the panel, by the API, by a device login, or, `workload`, as a workload key. */
                            source: "panel" | "api" | "device" | "workload" | (string & {});
                            /** @description What a workload key exchanges for its tokens. Null for other keys. */
                            workload: {
                                /** @description The issuer of the identity tokens, whose OpenID Connect configuration is read. */
                                issuer: string;
                                /** @description The claims that the identity token must have: each with one string, or with up to 20. A name that begins with `/` is a JSON Pointer to a nested claim. A string may end in `*`, for any rest. */
                                conditions: {
                                    [key: string]: string | string[];
                                };
                                /** @description How long an exchanged token is valid, in seconds. Default: 900. */
                                token_lifetime_seconds: number;
                                /** @description Whether each identity token is exchanged once. If not, the processes of a machine can share one. Default: true for GitHub and GitLab, false for other issuers. */
                                single_use: boolean;
                                /** @description The audience that the identity token must name. */
                                audience: string;
                            } | null;
                            /** @description What the key may do: `<resource>:read`, `<resource>:write`, `*:read` or `*`. The roles of its user limit it further. */
                            scopes: string[];
                            /** @description Only `active` keys are accepted. If several apply, the first of `revoked`, `expired` and `disabled`. */
                            status: "active" | "disabled" | "expired" | "revoked" | (string & {});
                            /**
                             * Format: date-time
                             * @description When the key expires. Null if it does not expire.
                             */
                            expires_at: string | null;
                            /** @description The IP addresses and CIDR ranges that may use the key. Null for all. */
                            ip_allowlist: string[] | null;
                            /** @description True if the entries of the IP allowlist together admit more than a /8 (IPv4) or a /32 (IPv6). Otherwise left out. */
                            ip_allowlist_wide?: boolean;
                            /** @description The most requests in any 60 seconds. */
                            rate_limit_per_minute: number;
                            /** @description False if the key was disabled. */
                            enabled: boolean;
                            /** @description The ids of the accounts that the key is limited to; null if it is not limited. */
                            accounts: string[] | null;
                            /** @description The id under which your own tools know it: letters, digits and `._:/-`. Unique in the organization. Null for none. */
                            external_id: string | null;
                            /** @description The id of the key that created it. Null if it was created with a session. */
                            parent_key_id: string | null;
                            /** @description The user or service user that the key acts as. */
                            user: {
                                /**
                                 * Format: uuid
                                 * @description The id of the user.
                                 */
                                id: string;
                                /** @description The name of the user. */
                                name: string;
                            };
                            /** @description The user who created the key. Null if that user has been deleted. */
                            created_by: {
                                /**
                                 * Format: uuid
                                 * @description The id of the user.
                                 */
                                id: string;
                                /** @description The name of the user. */
                                name: string;
                            } | null;
                            /**
                             * Format: date-time
                             * @description When the key was created.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description When the key was last changed.
                             */
                            updated_at: string;
                            /**
                             * Format: date-time
                             * @description When the key was last rotated. Null if it never was.
                             */
                            rotated_at: string | null;
                            /**
                             * Format: date-time
                             * @description When the last of the old secrets ends. Null if only the current one is valid.
                             */
                            previous_secret_expires_at: string | null;
                            /**
                             * Format: date-time
                             * @description When one of the old secrets that are still valid was last used, whatever the response. It may lag by up to 10 seconds. Null if none was used, or none is valid.
                             */
                            previous_secret_last_used_at: string | null;
                            /**
                             * Format: date-time
                             * @description When the key was revoked. Null if it is not revoked.
                             */
                            revoked_at: string | null;
                            /**
                             * Format: date-time
                             * @description When the key was last used, whatever the response. It may lag by up to 10 seconds. Null if it was never used.
                             */
                            last_used_at: string | null;
                            /** @description The client address of the last use. Null if the key was never used. */
                            last_used_ip: string | null;
                            /** @description The number of requests today, in UTC, whatever the responses. It may lag by up to 10 seconds. */
                            requests_today: number;
                            /** @description The scopes that no request has needed in the last 30 days: if several scopes cover a request, it needs the narrowest. Null if the key is younger, or its requests were not counted for so long. */
                            unused_scopes: string[] | null;
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The key id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The overlap period: how long the current secret stays valid, in seconds. With 0 or without this member, all old secrets end immediately. */
                    grace_seconds?: number;
                };
            };
        };
        responses: {
            /** @description The key and its new token. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The key. */
                        key: {
                            /** @description The key id: 12 characters, the public part of the token. */
                            id: string;
                            /** @description The name of the key, for people. */
                            name: string;
                            /** @description `personal` acts as its user. `organization` acts as a service user of its own and outlives the people who created it. */
                            kind: "personal" | "organization" | (string & {});
                            /** @description How the key was created: in the panel, by the API, by a device login, or, `workload`, as a workload key. */
                            source: "panel" | "api" | "device" | "workload" | (string & {});
                            /** @description What a workload key exchanges for its tokens. Null for other keys. */
                            workload: {
                                /** @description The issuer of the identity tokens, whose OpenID Connect configuration is read. */
                                issuer: string;
                                /** @description The claims that the identity token must have: each with one string, or with up to 20. A name that begins with `/` is a JSON Pointer to a nested claim. A string may end in `*`, for any rest. */
                                conditions: {
                                    [key: string]: string | string[];
                                };
                                /** @description How long an exchanged token is valid, in seconds. Default: 900. */
                                token_lifetime_seconds: number;
                                /** @description Whether each identity token is exchanged once. If not, the processes of a machine can share one. Default: true for GitHub and GitLab, false for other issuers. */
                                single_use: boolean;
                                /** @description The audience that the identity token must name. */
                                audience: string;
                            } | null;
                            /** @description What the key may do: `<resource>:read`, `<resource>:write`, `*:read` or `*`. The roles of its user limit it further. */
                            scopes: string[];
                            /** @description Only `active` keys are accepted. If several apply, the first of `revoked`, `expired` and `disabled`. */
                            status: "active" | "disabled" | "expired" | "revoked" | (string & {});
                            /**
                             * Format: date-time
                             * @description When the key expires. Null if it does not expire.
                             */
                            expires_at: string | null;
                            /** @description The IP addresses and CIDR ranges that may use the key. Null for all. */
                            ip_allowlist: string[] | null;
                            /** @description True if the entries of the IP allowlist together admit more than a /8 (IPv4) or a /32 (IPv6). Otherwise left out. */
                            ip_allowlist_wide?: boolean;
                            /** @description The most requests in any 60 seconds. */
                            rate_limit_per_minute: number;
                            /** @description False if the key was disabled. */
                            enabled: boolean;
                            /** @description The ids of the accounts that the key is limited to; null if it is not limited. */
                            accounts: string[] | null;
                            /** @description The id under which your own tools know it: letters, digits and `._:/-`. Unique in the organization. Null for none. */
                            external_id: string | null;
                            /** @description The id of the key that created it. Null if it was created with a session. */
                            parent_key_id: string | null;
                            /** @description The user or service user that the key acts as. */
                            user: {
                                /**
                                 * Format: uuid
                                 * @description The id of the user.
                                 */
                                id: string;
                                /** @description The name of the user. */
                                name: string;
                            };
                            /** @description The user who created the key. Null if that user has been deleted. */
                            created_by: {
                                /**
                                 * Format: uuid
                                 * @description The id of the user.
                                 */
                                id: string;
                                /** @description The name of the user. */
                                name: string;
                            } | null;
                            /**
                             * Format: date-time
                             * @description When the key was created.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description When the key was last changed.
                             */
                            updated_at: string;
                            /**
                             * Format: date-time
                             * @description When the key was last rotated. Null if it never was.
                             */
                            rotated_at: string | null;
                            /**
                             * Format: date-time
                             * @description When the last of the old secrets ends. Null if only the current one is valid.
                             */
                            previous_secret_expires_at: string | null;
                            /**
                             * Format: date-time
                             * @description When one of the old secrets that are still valid was last used, whatever the response. It may lag by up to 10 seconds. Null if none was used, or none is valid.
                             */
                            previous_secret_last_used_at: string | null;
                            /**
                             * Format: date-time
                             * @description When the key was revoked. Null if it is not revoked.
                             */
                            revoked_at: string | null;
                            /**
                             * Format: date-time
                             * @description When the key was last used, whatever the response. It may lag by up to 10 seconds. Null if it was never used.
                             */
                            last_used_at: string | null;
                            /** @description The client address of the last use. Null if the key was never used. */
                            last_used_ip: string | null;
                            /** @description The number of requests today, in UTC, whatever the responses. It may lag by up to 10 seconds. */
                            requests_today: number;
                            /** @description The scopes that no request has needed in the last 30 days: if several scopes cover a request, it needs the narrowest. Null if the key is younger, or its requests were not counted for so long. */
                            unused_scopes: string[] | null;
                        };
                        /** @description The full token, `<prefix>_<key id>_<secret>`. It is returned only once, so store it now. Null in a replayed response. */
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The full token of the key. */
                    token: string;
                    /** @description Whether to also revoke every key that was created with it, directly or indirectly, and every secret that one of them created by rotating another key. They end within 10 seconds. Default: false. */
                    descendants?: boolean;
                };
                "application/x-www-form-urlencoded": {
                    /** @description The full token of the key. */
                    token: string;
                    /** @description Whether to also revoke every key that was created with it, directly or indirectly, and every secret that one of them created by rotating another key. They end within 10 seconds. Default: false. */
                    descendants?: boolean;
                };
            };
        };
        responses: {
            /** @description The response to a form (RFC 7009, section 2.2). If the token was valid, its key is revoked. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description If the token was valid, its key is revoked. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The key id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One item per day. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The days, today first. */
                        items: {
                            /**
                             * Format: date
                             * @description The day, in UTC.
                             */
                            date: string;
                            /** @description The number of requests with a valid secret, whatever the responses. */
                            requests: number;
                            /** @description The number of requests that got a 403. */
                            refused: number;
                            /** @description The number of requests that got a 429. */
                            rate_limited: number;
                        }[];
                    };
                };
            };
        };
    };
    "api-keys.uses": {
        parameters: {
            query?: {
                /** @description The most items of a page, 1 to 100. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. Without it, the list starts with the newest item. */
                cursor?: string;
                /** @description Starts with the hour or day that contains this time, at most 7 days before `until`. Default: 24 hours before it. */
                since?: string;
                /** @description Only hours that start before this time. Default: now. */
                until?: string;
                /** @description The span that requests are added up by. Default: `hour` for up to 48 hours, otherwise `day`. */
                by?: "hour" | "day";
            };
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The key id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of uses. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of the page, newest first. */
                        items: {
                            /**
                             * Format: date-time
                             * @description When the hour or day starts, in UTC.
                             */
                            start: string;
                            /** @description The `operationId` of the operation, or `internal.authorize` for a request to another service that accepts the key. Null if no route served the requests. */
                            operation: string | null;
                            /** @description The status of the responses. Null in the rest of an hour if they differ. */
                            status: number | null;
                            /** @description The client address: an IPv4 address or the /64 of an IPv6 address. Null in the rest of an hour. */
                            address: string | null;
                            /** @description `previous` if the requests sent a secret that a rotation had replaced. Null in the rest of an hour if they differ. */
                            secret: "current" | "previous" | (string & {}) | null;
                            /** @description The number of requests that have all of this in common. */
                            requests: number;
                        }[];
                        /** @description The `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    "audit-log.list": {
        parameters: {
            query?: {
                /** @description The most items of a page, 1 to 100. Default: 50, or all records of an export. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. Without it, the list starts with the newest item. */
                cursor?: string;
                /** @description Only events with exactly this action, for example `api_key.create`. */
                action?: string;
                /** @description Only entries with this key as actor or target. */
                key_id?: string;
                /** @description Only events whose actor is this user. */
                actor_id?: string;
                /** @description Only events whose target has this type, for example `webhook`. */
                target_type?: string;
                /** @description Only events whose target has this id. */
                target_id?: string;
                /** @description Only events with this outcome. */
                outcome?: "success" | "refused";
                /** @description Only events of requests from this client address. */
                ip?: string;
                /** @description Only events in which a name contains this text, case-insensitive: the name of the actor, or a name or description of the target, before or after the change. */
                q?: string;
                /** @description Only events at or after this time. */
                since?: string;
                /** @description Only events before this time. */
                until?: string;
                /** @description Exports the list as a file instead of a page: up to 100,000 records, or `limit` of them, after `cursor` if it is given. The first line of `csv` has the names of the columns; values that begin with `=`, `+`, `-`, `@`, tab or carriage return are prefixed by `'`. `jsonl` has a record in each line. If more is left, the header `X-Next-Cursor` has its `cursor`. You can run one export at a time. */
                format?: "csv" | "jsonl";
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
            /** @description A page of audit entries. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of the page, newest first. */
                        items: {
                            /**
                             * Format: uuid
                             * @description The id of the audit event.
                             */
                            id: string;
                            /**
                             * Format: date-time
                             * @description When it happened.
                             */
                            occurred_at: string;
                            /** @description What was done, for example `api_key.create` or `webhook.update`. */
                            action: string;
                            /** @description `success`: it was done. `refused`: a request was refused, and nothing changed. */
                            outcome: "success" | "refused" | (string & {});
                            /** @description The code of the problem of a refused request. Null for a success. */
                            reason: string | null;
                            /** @description Who did it. */
                            actor: {
                                /** @description `anonymous`: the request proved no identity. `system`: the service or the platform itself. */
                                type: "user" | "service_user" | "anonymous" | "system" | (string & {});
                                /** @description The id of the user. Null for `anonymous` and `system`. */
                                id: string | null;
                                /** @description The name of the user at that time. Null for `anonymous` and `system`. */
                                name: string | null;
                                /** @description The id of the key that was used. Null without a key. */
                                key_id: string | null;
                            };
                            /** @description What it was done to. */
                            target: {
                                /** @description The type of the record, for example `api_key`. Null without a target. */
                                type: string | null;
                                /** @description The id of the record. Null without a target. */
                                id: string | null;
                            };
                            /** @description The client address of the request. Null without a request. */
                            ip: string | null;
                            /** @description The `X-Request-Id` of the request. Null without a request. */
                            request_id: string | null;
                            /** @description What else is known, by action: for example which members changed. Never a secret. */
                            details: {
                                [key: string]: unknown;
                            };
                        }[];
                        /** @description The `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    "api-keys.end-previous-secrets": {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The key id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Only the current secret is valid. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.event-types": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description All event types. */
                        items: {
                            /** @description The event type, for example `site.created`. */
                            type: string;
                            /** @description The part of the type before the dot, for `<resource>.*`. */
                            resource: string;
                            /** @description When the event is published. */
                            description: string;
                            /** @description Whether the type will be removed. Do not subscribe to it. */
                            deprecated: boolean;
                            /** @description Whether the type is not published yet. You can subscribe to it. */
                            reserved: boolean;
                            /** @description The JSON Schema of `data`. */
                            schema: {
                                [key: string]: unknown;
                            };
                            /** @description An example of `data`. Null for reserved types. */
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
            query?: {
                /** @description Events also carry the headers of Standard Webhooks, as for an endpoint with `standard_webhooks`. */
                standard_webhooks?: "true";
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
            /** @description Server-Sent Events, until you disconnect. The schema is that of one message. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        /** @description The name of the message. `end` is the last one. Absent means `message`. */
                        event?: "message" | "end" | (string & {});
                        /** @description The message as JSON on one line. */
                        data: string;
                    };
                };
            };
        };
    };
    "webhooks.trigger": {
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
                     * @description The event type.
                     * @enum {string}
                     */
                    type: "server.enrolled" | "server.revoked" | "account.created" | "account.updated" | "account.deleted" | "site.created" | "site.updated" | "site.tls_updated" | "site.deleted" | "backup.completed" | "backup.failed" | "backup.restored" | "dns.zone_created" | "dns.zone_deleted" | "dns.records_changed" | "database.created" | "database.deleted" | "job.succeeded" | "job.failed" | "alert.firing" | "alert.resolved" | "endpoint.failing" | "endpoint.recovered" | "endpoint.disabled" | "api_key.expiring" | "api_key.created" | "api_key.revoked";
                    /** @description Members of `data` that replace those of the example. The result must match the schema of the type. */
                    data?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description The event is on its way. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The number of streams to which the event was sent, at least 1. */
                        streams: number;
                    };
                };
            };
        };
    };
    "webhooks.replay": {
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
                    /** @description These deliveries. */
                    delivery_ids?: string[];
                    /** @description These events, each once: with the id of its newest delivery, or with a new one if it has none. */
                    event_ids?: string[];
                    /**
                     * Format: date-time
                     * @description Only deliveries created at or after this time.
                     */
                    since?: string;
                    /**
                     * @description Only deliveries with this status.
                     * @enum {string}
                     */
                    status?: "queued" | "in_flight" | "waiting_retry" | "waiting_endpoint" | "succeeded" | "dead";
                };
            };
        };
        responses: {
            /** @description The events are on their way. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The number of events that are sent to each stream. */
                        deliveries: number;
                    };
                };
            };
        };
    };
    "webhooks.list": {
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
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of endpoints. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
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
    "webhooks.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
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
                     * Format: uri
                     * @description Where events are sent: HTTPS to a public address, without credentials or a fragment. At most 2,048 characters.
                     */
                    url: string;
                    /** @description Which events are sent, as patterns: `*`, `<resource>.*` or an exact event type. */
                    events: string[];
                    /** @description A description for people. Default: null, for none. */
                    description?: string | null;
                    /** @description Whether deliveries are sent. Deliveries to a disabled endpoint wait until it is enabled. Default: true. */
                    enabled?: boolean;
                    /** @description The most attempts per second to the endpoint. Further deliveries wait, which uses up no attempt. Default: null, for no limit. */
                    rate_limit_per_second?: number | null;
                    /** @description Disables the endpoint when an incident has been open for this long. Its deliveries wait until it is enabled. Default: null, for never. */
                    disable_after_failing_hours?: number | null;
                    /** @description Custom headers, which every attempt carries: values by name. They are stored encrypted and never returned. An update replaces all; null or `{}` removes all. */
                    headers?: {
                        [key: string]: string;
                    } | null;
                    /** @description Whether each attempt also carries `webhook-id`, `webhook-timestamp` and `webhook-signature`, as Standard Webhooks defines them. Default: false. */
                    standard_webhooks?: boolean;
                    /** @description The id under which your own tools know it: letters, digits and `._:/-`. Unique in the organization. Default: null, for none. */
                    external_id?: string | null;
                    /** @description Only events of these accounts of the organization are delivered, by the `account_id` in their data. Events without an account are not. Default: null, for all events. */
                    accounts?: string[] | null;
                };
            };
        };
        responses: {
            /** @description The endpoint and its signing secret, which is returned only once. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The endpoint. */
                        webhook: {
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
                        };
                        /** @description The signing secret, `whsec_…`. It is returned only once. Null in a replayed response. */
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the endpoint. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The endpoint. */
                        webhook: {
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the endpoint. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint is deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the endpoint. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: uri
                     * @description Where events are sent: HTTPS to a public address, without credentials or a fragment. At most 2,048 characters.
                     */
                    url?: string;
                    /** @description Which events are sent, as patterns: `*`, `<resource>.*` or an exact event type. */
                    events?: string[];
                    /** @description A description for people. Default: null, for none. */
                    description?: string | null;
                    /** @description Whether deliveries are sent. Deliveries to a disabled endpoint wait until it is enabled. Default: true. */
                    enabled?: boolean;
                    /** @description The most attempts per second to the endpoint. Further deliveries wait, which uses up no attempt. Default: null, for no limit. */
                    rate_limit_per_second?: number | null;
                    /** @description Disables the endpoint when an incident has been open for this long. Its deliveries wait until it is enabled. Default: null, for never. */
                    disable_after_failing_hours?: number | null;
                    /** @description Custom headers, which every attempt carries: values by name. They are stored encrypted and never returned. An update replaces all; null or `{}` removes all. */
                    headers?: {
                        [key: string]: string;
                    } | null;
                    /** @description Whether each attempt also carries `webhook-id`, `webhook-timestamp` and `webhook-signature`, as Standard Webhooks defines them. Default: false. */
                    standard_webhooks?: boolean;
                    /** @description The id under which your own tools know it: letters, digits and `._:/-`. Unique in the organization. Default: null, for none. */
                    external_id?: string | null;
                    /** @description Only events of these accounts of the organization are delivered, by the `account_id` in their data. Events without an account are not. Default: null, for all events. */
                    accounts?: string[] | null;
                };
            };
        };
        responses: {
            /** @description The updated endpoint. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The endpoint. */
                        webhook: {
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the endpoint. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The overlap period: how long the current secret stays valid, in seconds. With 0 or without this member, all old secrets end immediately. */
                    grace_seconds?: number;
                };
            };
        };
        responses: {
            /** @description The endpoint and its new secret, which is returned only once. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The endpoint. */
                        webhook: {
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
                        };
                        /** @description The signing secret, `whsec_…`. It is returned only once. Null in a replayed response. */
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the endpoint. */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The delivery. */
                        delivery: {
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
                            /** @description All attempts that have finished, in order. */
                            attempts: {
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
                            }[];
                            /** @description The envelope, which is the body of every attempt. */
                            payload: {
                                /**
                                 * Format: uuid
                                 * @description The id of the event.
                                 */
                                id: string;
                                /** @description The type of the event. */
                                type: string;
                                /**
                                 * Format: date-time
                                 * @description When the event happened.
                                 */
                                created_at: string;
                                /**
                                 * Format: uuid
                                 * @description The id of the organization.
                                 */
                                tenant_id: string;
                                /** @description The data of the event, by the schema of its type. */
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the endpoint. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The event type to send, subscribed to or not.
                     * @enum {string}
                     */
                    event_type: "server.enrolled" | "server.revoked" | "account.created" | "account.updated" | "account.deleted" | "site.created" | "site.updated" | "site.tls_updated" | "site.deleted" | "backup.completed" | "backup.failed" | "backup.restored" | "dns.zone_created" | "dns.zone_deleted" | "dns.records_changed" | "database.created" | "database.deleted" | "job.succeeded" | "job.failed" | "alert.firing" | "alert.resolved" | "endpoint.failing" | "endpoint.recovered" | "endpoint.disabled" | "api_key.expiring" | "api_key.created" | "api_key.revoked";
                };
            };
        };
        responses: {
            /** @description The delivery of the example event. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The delivery. */
                        delivery: {
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
                            /** @description All attempts that have finished, in order. */
                            attempts: {
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
                            }[];
                            /** @description The envelope, which is the body of every attempt. */
                            payload: {
                                /**
                                 * Format: uuid
                                 * @description The id of the event.
                                 */
                                id: string;
                                /** @description The type of the event. */
                                type: string;
                                /**
                                 * Format: date-time
                                 * @description When the event happened.
                                 */
                                created_at: string;
                                /**
                                 * Format: uuid
                                 * @description The id of the organization.
                                 */
                                tenant_id: string;
                                /** @description The data of the event, by the schema of its type. */
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
                /** @description The time span, which ends now: `1h` in buckets of 5 minutes, `24h` of an hour, `7d` of a day. */
                window?: "1h" | "24h" | "7d";
            };
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the endpoint. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Attempts by bucket, oldest first, in UTC. Durations are null in buckets without attempts; those of 128 ms and more are rounded by up to 0.8%. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The time span of the request. */
                        window: string;
                        /** @description The buckets, oldest first. The last one is not over yet. */
                        buckets: {
                            /**
                             * Format: date-time
                             * @description When the bucket starts.
                             */
                            start: string;
                            /** @description The number of attempts that succeeded. */
                            succeeded: number;
                            /** @description The number of attempts that failed. */
                            failed: number;
                            /** @description The median duration of the attempts, in ms. Null without attempts. */
                            p50_ms: number | null;
                            /** @description The duration that 95% of the attempts did not exceed, in ms. Null without attempts. */
                            p95_ms: number | null;
                        }[];
                    };
                };
            };
        };
    };
    "webhooks.completeness": {
        parameters: {
            query?: {
                /** @description Only events created at or after this time, at most 30 days ago. Default: since the endpoint was created, at most 30 days ago. */
                since?: string;
            };
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the endpoint. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What became of the events. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description Since when events are counted.
                         */
                        since: string;
                        /** @description The number of events. */
                        events: number;
                        /** @description Events of which a delivery succeeded. */
                        delivered: number;
                        /** @description Other events of which a delivery is unfinished. */
                        waiting: number;
                        /** @description Events all of whose deliveries are `dead`. Recover them. */
                        dead: number;
                        /** @description Events without a delivery, from before the endpoint was created or subscribed to them. Recover them with `backfill`. */
                        never_sent: number;
                        /** @description Whether all of the events have arrived. */
                        complete: boolean;
                    };
                };
            };
        };
    };
    "webhooks.incidents": {
        parameters: {
            query?: {
                /** @description The most items of a page, 1 to 100. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. Without it, the list starts with the newest item. */
                cursor?: string;
            };
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the endpoint. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of incidents. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of the page, newest first. */
                        items: {
                            /**
                             * Format: uuid
                             * @description The id of the incident.
                             */
                            id: string;
                            /**
                             * Format: date-time
                             * @description When the first failed attempt of the incident started.
                             */
                            opened_at: string;
                            /**
                             * Format: date-time
                             * @description When the incident was closed. Null while it is open.
                             */
                            closed_at: string | null;
                            /** @description What closed the incident: a successful attempt, or disabling or deleting the endpoint. Null while it is open. */
                            closed_by: "success" | "disabled" | "deleted" | (string & {}) | null;
                            /** @description The number of failed attempts, including the 5 that opened the incident. */
                            failed_attempts: number;
                            /** @description The HTTP status of the last failed attempt. Null if there was no valid response, or no failure. */
                            last_status_code: number | null;
                            /** @description Why the last failed attempt failed. Null if none has failed. */
                            last_error_class: "address_not_public" | "dns_error" | "connection_refused" | "connection_reset" | "connect_timeout" | "timeout" | "tls_error" | "redirect" | "http_error" | "protocol_error" | "internal_error" | (string & {}) | null;
                        }[];
                        /** @description The `cursor` of the next page. Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    "webhooks.incident": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the endpoint. */
                id: string;
                /** @description The id of the incident. */
                incident_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The incident. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The incident. */
                        incident: {
                            /**
                             * Format: uuid
                             * @description The id of the incident.
                             */
                            id: string;
                            /**
                             * Format: date-time
                             * @description When the first failed attempt of the incident started.
                             */
                            opened_at: string;
                            /**
                             * Format: date-time
                             * @description When the incident was closed. Null while it is open.
                             */
                            closed_at: string | null;
                            /** @description What closed the incident: a successful attempt, or disabling or deleting the endpoint. Null while it is open. */
                            closed_by: "success" | "disabled" | "deleted" | (string & {}) | null;
                            /** @description The number of failed attempts, including the 5 that opened the incident. */
                            failed_attempts: number;
                            /** @description The HTTP status of the last failed attempt. Null if there was no valid response, or no failure. */
                            last_status_code: number | null;
                            /** @description Why the last failed attempt failed. Null if none has failed. */
                            last_error_class: "address_not_public" | "dns_error" | "connection_refused" | "connection_reset" | "connect_timeout" | "timeout" | "tls_error" | "redirect" | "http_error" | "protocol_error" | "internal_error" | (string & {}) | null;
                            /** @description What happened, oldest first, at most 100 spans. Successive attempts that failed in the same way are a span; of an incident with more of them, each of 100 equal parts is a span with its most frequent failure. */
                            timeline: {
                                /**
                                 * Format: date-time
                                 * @description When the first attempt of the span started.
                                 */
                                start: string;
                                /**
                                 * Format: date-time
                                 * @description When the last attempt of the span ended.
                                 */
                                end: string;
                                /** @description Why its attempts failed. */
                                error_class: "address_not_public" | "dns_error" | "connection_refused" | "connection_reset" | "connect_timeout" | "timeout" | "tls_error" | "redirect" | "http_error" | "protocol_error" | "internal_error" | (string & {});
                                /** @description The HTTP status of its responses. Null if there was no valid response. */
                                status_code: number | null;
                                /** @description The number of its failed attempts. */
                                attempts: number;
                            }[];
                            /** @description The number of events whose first attempt failed in the incident. Null if they were not counted in time. */
                            affected: number | null;
                            /** @description Those of them that have arrived since. */
                            delivered_since: number | null;
                            /** @description Those of them that have not arrived. */
                            missing: number | null;
                            /** @description Whether all failed attempts were read. Of an incident with more than 20,000, `timeline` and the numbers of events are of the first ones; without enough time, `timeline` is empty and the numbers are null. */
                            complete: boolean;
                        };
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the endpoint. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: date-time
                     * @description Recovers deliveries created at or after this time, at most 30 days ago.
                     */
                    since: string;
                    /**
                     * Format: date-time
                     * @description Recovers deliveries created before this time. Default: the time of the request.
                     */
                    until?: string;
                    /**
                     * @description `dead` sends events again that have not arrived, `any` also those that have. Default: `dead`.
                     * @enum {string}
                     */
                    status?: "dead" | "any";
                    /** @description Only events that match one of these patterns. Default: all that the endpoint subscribes to. */
                    event_types?: ("*" | "server.enrolled" | "server.*" | "server.revoked" | "account.created" | "account.*" | "account.updated" | "account.deleted" | "site.created" | "site.*" | "site.updated" | "site.tls_updated" | "site.deleted" | "backup.completed" | "backup.*" | "backup.failed" | "backup.restored" | "dns.zone_created" | "dns.*" | "dns.zone_deleted" | "dns.records_changed" | "database.created" | "database.*" | "database.deleted" | "job.succeeded" | "job.*" | "job.failed" | "alert.firing" | "alert.*" | "alert.resolved" | "endpoint.failing" | "endpoint.*" | "endpoint.recovered" | "endpoint.disabled" | "api_key.expiring" | "api_key.*" | "api_key.created" | "api_key.revoked" | "invoice.ready" | "invoice.*")[];
                    /**
                     * @description Whether to also send events of the time range that match the patterns of the endpoint and of which it never had a delivery, because it was created or subscribed later.
                     * @default false
                     */
                    backfill?: boolean;
                    /**
                     * @description Whether to only count what a recovery would redeliver.
                     * @default false
                     */
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The number of deliveries that a recovery would redeliver, for `dry_run`. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The number of deliveries that a recovery would redeliver. */
                        total: number;
                    };
                };
            };
            /** @description The running recovery. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The recovery. */
                        recovery: {
                            /**
                             * Format: uuid
                             * @description The id of the recovery.
                             */
                            id: string;
                            /** @description `running` until everything was examined (`done`) or the recovery was cancelled. */
                            status: "running" | "done" | "cancelled" | (string & {});
                            /** @description The number of events found so far. Up to 10,000 are counted in advance. */
                            total: number;
                            /** @description The number of events that have been sent again. */
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the endpoint. */
                id: string;
                /** @description The id of the recovery. */
                recovery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The recovery. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The recovery. */
                        recovery: {
                            /**
                             * Format: uuid
                             * @description The id of the recovery.
                             */
                            id: string;
                            /** @description `running` until everything was examined (`done`) or the recovery was cancelled. */
                            status: "running" | "done" | "cancelled" | (string & {});
                            /** @description The number of events found so far. Up to 10,000 are counted in advance. */
                            total: number;
                            /** @description The number of events that have been sent again. */
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the endpoint. */
                id: string;
                /** @description The id of the recovery. */
                recovery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The recovery was cancelled, or had already ended. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.deliveries": {
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
            };
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the endpoint. */
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
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
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
    "webhook-deliveries.list": {
        parameters: {
            query?: {
                /** @description The most items of a page, 1 to 100. Default: 50, or all records of an export. */
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
                /** @description Exports the list as a file instead of a page: up to 100,000 records, or `limit` of them, after `cursor` if it is given. The first line of `csv` has the names of the columns; values that begin with `=`, `+`, `-`, `@`, tab or carriage return are prefixed by `'`. `jsonl` has a record in each line. If more is left, the header `X-Next-Cursor` has its `cursor`. You can run one export at a time. */
                format?: "csv" | "jsonl";
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
            /** @description A page of deliveries. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
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
    "webhook-deliveries.histogram": {
        parameters: {
            query?: {
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
                /** @description When the first bucket starts. Default: 24 hours before the end of the last one. */
                since?: string;
                /** @description When the last bucket ends. Default: now. */
                until?: string;
                /** @description Only deliveries to this endpoint. */
                webhook_id?: string;
                /** @description Only deliveries that the text stands for: the id of a delivery, an event or an object, or its first 8 characters or more; an event type; or the domain, zone or host name of the event. Case plays no part. */
                q?: string;
                /** @description The number of buckets, 1 to 120. */
                buckets?: number;
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
            /** @description The numbers of deliveries. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The buckets, oldest first. They are equally long, and empty ones are included. */
                        items: {
                            /**
                             * Format: date-time
                             * @description When the bucket starts.
                             */
                            start: string;
                            /** @description The number of deliveries that succeeded. */
                            succeeded: number;
                            /** @description The number of deliveries that are `dead`. */
                            dead: number;
                            /** @description The number of deliveries that are unfinished. */
                            open: number;
                        }[];
                        /** @description Whether everything was counted. False: only the newest records were, so the first buckets are too low or empty. */
                        complete: boolean;
                    };
                };
            };
        };
    };
    "webhook-deliveries.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the delivery. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The delivery. */
                        delivery: {
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
                            /** @description All attempts that have finished, in order. */
                            attempts: {
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
                            }[];
                            /** @description The envelope, which is the body of every attempt. */
                            payload: {
                                /**
                                 * Format: uuid
                                 * @description The id of the event.
                                 */
                                id: string;
                                /** @description The type of the event. */
                                type: string;
                                /**
                                 * Format: date-time
                                 * @description When the event happened.
                                 */
                                created_at: string;
                                /**
                                 * Format: uuid
                                 * @description The id of the organization.
                                 */
                                tenant_id: string;
                                /** @description The data of the event, by the schema of its type. */
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
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the delivery. */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The delivery. */
                        delivery: {
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
                            /** @description All attempts that have finished, in order. */
                            attempts: {
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
                            }[];
                            /** @description The envelope, which is the body of every attempt. */
                            payload: {
                                /**
                                 * Format: uuid
                                 * @description The id of the event.
                                 */
                                id: string;
                                /** @description The type of the event. */
                                type: string;
                                /**
                                 * Format: date-time
                                 * @description When the event happened.
                                 */
                                created_at: string;
                                /**
                                 * Format: uuid
                                 * @description The id of the organization.
                                 */
                                tenant_id: string;
                                /** @description The data of the event, by the schema of its type. */
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
    "webhook-deliveries.retry-now": {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the delivery. */
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
            /** @description The delivery, which is due now. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The delivery. */
                        delivery: {
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
                            /** @description All attempts that have finished, in order. */
                            attempts: {
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
                            }[];
                            /** @description The envelope, which is the body of every attempt. */
                            payload: {
                                /**
                                 * Format: uuid
                                 * @description The id of the event.
                                 */
                                id: string;
                                /** @description The type of the event. */
                                type: string;
                                /**
                                 * Format: date-time
                                 * @description When the event happened.
                                 */
                                created_at: string;
                                /**
                                 * Format: uuid
                                 * @description The id of the organization.
                                 */
                                tenant_id: string;
                                /** @description The data of the event, by the schema of its type. */
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
    "webhooks.retry-now": {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key within 24 hours returns the same response, and the work is done only once. */
                "Idempotency-Key"?: string;
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the endpoint. */
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
            /** @description The number of deliveries that are due now. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The number of deliveries that were waiting for a retry and are due now. 10,000 means 10,000 or more. */
                        deliveries: number;
                    };
                };
            };
        };
    };
    "events.list": {
        parameters: {
            query?: {
                /** @description The most items of a page, 1 to 1,000. Default: 100, or all records of an export. */
                limit?: number;
                /** @description The `next_cursor` of an earlier page, whatever its filters. A cursor from before the log is refused. */
                cursor?: string;
                /** @description Starts with the events whose `created_at` is at or after this time; instead of `cursor`. Events that are accepted after this request follow whatever their `created_at`. Default: the oldest event of the log. */
                since?: string;
                /** @description Only events that match one of these patterns: `*`, `<resource>.*` or event types, 1 to 20, separated by commas. */
                types?: string;
                /** @description Only events of this account. */
                account_id?: string;
                /** @description Only events of this object. */
                object_id?: string;
                /** @description Exports the list as a file instead of a page: up to 100,000 records, or `limit` of them, after `cursor` if it is given. The first line of `csv` has the names of the columns; values that begin with `=`, `+`, `-`, `@`, tab or carriage return are prefixed by `'`. `jsonl` has a record in each line. If more is left, the header `X-Next-Cursor` has its `cursor`. You can run one export at a time. */
                format?: "csv" | "jsonl";
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
            /** @description A page of the event log. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The envelopes as they are delivered, in the order of acceptance. */
                        items: {
                            /**
                             * Format: uuid
                             * @description The id of the event.
                             */
                            id: string;
                            /** @description The type of the event. */
                            type: string;
                            /**
                             * Format: date-time
                             * @description When the event happened.
                             */
                            created_at: string;
                            /**
                             * Format: uuid
                             * @description The id of the organization.
                             */
                            tenant_id: string;
                            /** @description The data of the event, by the schema of its type. */
                            data: {
                                [key: string]: unknown;
                            };
                        }[];
                        /** @description The `cursor` of what follows. It is never null: ask again later. An empty page with the `cursor` of the request is the end for now. */
                        next_cursor: string;
                    };
                };
            };
        };
    };
    "events.histogram": {
        parameters: {
            query?: {
                /** @description Only events that match one of these patterns: `*`, `<resource>.*` or event types, 1 to 20, separated by commas. */
                types?: string;
                /** @description Only events of this account. */
                account_id?: string;
                /** @description Only events of this object. */
                object_id?: string;
                /** @description When the first bucket starts. Default: 24 hours before the end of the last one. */
                since?: string;
                /** @description When the last bucket ends. Default: now. */
                until?: string;
                /** @description The number of buckets, 1 to 120. */
                buckets?: number;
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
            /** @description The numbers of events. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The buckets, oldest first. They are equally long, and empty ones are included. */
                        items: {
                            /**
                             * Format: date-time
                             * @description When the bucket starts.
                             */
                            start: string;
                            /** @description The number of events. */
                            events: number;
                        }[];
                        /** @description Whether everything was counted. False: only the newest records were, so the first buckets are too low or empty. */
                        complete: boolean;
                    };
                };
            };
        };
    };
    "events.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description Names the request in the response, the logs and the audit log: 1 to 128 letters, digits, `.`, `_` and `-`. Any other value is replaced by a generated one. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description The id of the event. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The envelope, as it is delivered. */
                        event: {
                            /**
                             * Format: uuid
                             * @description The id of the event.
                             */
                            id: string;
                            /** @description The type of the event. */
                            type: string;
                            /**
                             * Format: date-time
                             * @description When the event happened.
                             */
                            created_at: string;
                            /**
                             * Format: uuid
                             * @description The id of the organization.
                             */
                            tenant_id: string;
                            /** @description The data of the event, by the schema of its type. */
                            data: {
                                [key: string]: unknown;
                            };
                        };
                        /** @description The deliveries of the event, newest first; at most 1,000. */
                        deliveries: {
                            /**
                             * Format: uuid
                             * @description The id of the delivery.
                             */
                            id: string;
                            /**
                             * Format: uuid
                             * @description The id of the endpoint.
                             */
                            webhook_id: string;
                            /** @description The status of the delivery. */
                            status: "queued" | "in_flight" | "waiting_retry" | "waiting_endpoint" | "succeeded" | "dead" | (string & {});
                        }[];
                    };
                };
            };
        };
    };
}
