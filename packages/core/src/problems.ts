/**
 * The one catalog of error codes (docs/specification/errors.md#codes). Every problem document the
 * service gives is made from an entry of it; `explanation` is the text of its page `/problems/<code>`.
 * In `detail`, `{name}` is filled from the facts given to {@link Problem}.
 */
export const problemCatalog = {
  malformed_json: {
    status: 400,
    title: 'Malformed JSON',
    detail: 'The request body is not valid JSON.',
    explanation:
      'The body could not be parsed as JSON. Nothing was changed. Correct the body and send it again.',
  },
  malformed_request: {
    status: 400,
    title: 'Malformed request',
    detail: 'The request is not valid HTTP.',
    explanation:
      'The request as a whole could not be read, and `detail` says why: it is not valid HTTP, did not arrive in time, or repeats a header field that may occur once, such as `Host` or `Authorization`. Nothing was changed.',
  },
  authorization_pending: {
    status: 400,
    title: 'Authorization pending',
    detail: 'The person has not decided on this device login yet.',
    explanation:
      'The device login is still to be approved or refused in the panel. Ask again after `interval` seconds (RFC 8628, section 3.5).',
  },
  slow_down: {
    status: 400,
    title: 'Slow down',
    detail: 'The device login is polled too fast.',
    explanation:
      'Wait `interval` seconds between polls; add 5 seconds to the interval with every such answer (RFC 8628, section 3.5). The poll did not count.',
  },
  access_denied: {
    status: 400,
    title: 'Access denied',
    detail: 'The device login was refused.',
    explanation:
      'The person refused the device login, or may no longer give what was approved: deactivated, without the role that it takes, or with a new password since. Start anew if that is wanted.',
  },
  expired_token: {
    status: 400,
    title: 'Expired device code',
    detail: 'The device code is unknown, has expired, or its key was handed over already.',
    explanation:
      'A device code lives 600 seconds and gives one key. The answer is the same for one that never was. Start anew.',
  },
  authentication_required: {
    status: 401,
    title: 'Authentication required',
    detail: 'This request needs credentials, and none were given.',
    explanation:
      'Send an API key as `Authorization: Bearer <API_KEY>`, or sign in at `POST /auth/session`; a session that has ended counts as none. The internal listener takes a service token in the same header.',
  },
  invalid_api_key: {
    status: 401,
    title: 'Invalid API key',
    detail: 'The API key is malformed, unknown, expired or revoked.',
    explanation:
      'The bearer token is not a working API key: it is malformed, unknown, expired or revoked, or its user no longer may sign in. The answer is the same in every case. Make or rotate a key and use the new one.',
  },
  invalid_credentials: {
    status: 401,
    title: 'Invalid credentials',
    detail: 'The e-mail address, the password or the code is wrong.',
    explanation:
      'The answer is the same whether the address is unknown, the password or the code is wrong, or the person may not sign in. After several failures the next try has to wait.',
  },
  totp_required: {
    status: 401,
    title: 'Code required',
    detail: 'The password is right; the code of your authenticator is needed too.',
    explanation:
      'The person has set up an authenticator. Send its current code as `totp_code` along with the password; at sign-in a recovery code does as well.',
  },
  permission_denied: {
    status: 403,
    title: 'Permission denied',
    detail: 'Your role does not permit this: it needs the permission {permission}.',
    explanation:
      'The credentials are good, but the role of the acting user does not permit this request. An administrator of the organization can change the role.',
  },
  api_key_not_allowed: {
    status: 403,
    title: 'API key not allowed',
    detail: 'This needs a signed-in session; no API key can do it, whatever its scopes.',
    explanation:
      'Passwords, factors, sessions, impersonation and the approval of a CLI login are for people who are signed in to the panel. Sign in and do it there.',
  },
  api_key_ip_denied: {
    status: 403,
    title: 'API key not allowed from this address',
    detail: 'The API key may not be used from this address.',
    explanation:
      "The key has an allow-list, and the request's address is not in it. Use the key from an address in the list, or change the list.",
  },
  api_key_wider_than_caller: {
    status: 403,
    title: 'API key wider than the caller',
    detail:
      'A key may only manage keys that reach no further than itself; this one does by {aspect}.',
    explanation:
      'A key may create, change or rotate keys only with scopes, expiry, allow-list and rate limit no wider than its own. What is not named counts as its default: no expiry, no list, 600 requests per minute.',
  },
  insufficient_scope: {
    status: 403,
    title: 'Insufficient scope',
    detail: 'The API key lacks a needed scope: {scope}.',
    explanation:
      'The role permits this request, but no scope of the key covers it. Use a key that has the scope that `detail` names.',
  },
  csrf_failed: {
    status: 403,
    title: 'CSRF check failed',
    detail: 'The request may come from another site, or its CSRF token is missing or old.',
    explanation:
      'A request that changes something with a session needs the CSRF token of the session in the header `X-CSRF-Token`, and must not come from another site. The token is in the answer of the sign-in and of `GET /auth/session`; it is a new one after every step-up.',
  },
  reauthentication_required: {
    status: 403,
    title: 'Confirmation required',
    detail: 'Confirm who you are first: the last confirmation is more than 5 minutes ago.',
    explanation:
      'This is asked of a session only within 5 minutes of the sign-in or of a step-up. Send the password to `POST /auth/session/confirm` and try again.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    detail: 'There is nothing here, or it is not visible to you.',
    explanation:
      'The path is unknown, or the record does not exist, belongs to another organization, or is not visible to the caller. The answer is the same in every case.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    detail: 'This path does not take {method}.',
    explanation:
      'The path exists, but not with this method. The `Allow` header lists those it takes.',
  },
  conflict: {
    status: 409,
    title: 'Conflict',
    detail: 'The request conflicts with the present state: {reason}',
    explanation:
      'The request is well-formed but cannot be carried out in the present state of the record. Read the record again and decide anew.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'Idempotent request in progress',
    detail: 'A request with this Idempotency-Key is still being carried out.',
    explanation: 'Wait for the time in `Retry-After` and send the same request again.',
  },
  webhook_disabled: {
    status: 409,
    title: 'Webhook disabled',
    detail: 'The webhook endpoint is disabled, so it cannot be pinged.',
    explanation: 'A ping would only wait. Enable the endpoint first.',
  },
  webhook_limit_reached: {
    status: 409,
    title: 'Webhook limit reached',
    detail: 'The organization has {limit} webhook endpoints already, which is the limit.',
    explanation:
      'An organization has at most 20 webhook endpoints. Delete one that is no longer needed, or widen the events of an existing one.',
  },
  payload_too_large: {
    status: 413,
    title: 'Payload too large',
    detail: 'The request body is larger than {limit}.',
    explanation:
      'The body exceeds the limit: 256 KiB on the API, 16 KiB where no credentials are needed, 4 MiB on the internal listener. `detail` says so where it was the URL (8,000 bytes) or the header (16 KiB, 100 fields).',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    detail: 'The request body must be JSON in UTF-8, sent as application/json.',
    explanation: 'Send the body as JSON with `Content-Type: application/json`.',
  },
  validation_failed: {
    status: 422,
    title: 'Validation failed',
    detail: 'The request does not fit what is asked for; `errors` names each member at fault.',
    explanation:
      'One or more members of the request are missing, unknown, or not of the asked form. `errors` lists each with a JSON Pointer. Nothing was changed.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency-Key reused',
    detail: 'This Idempotency-Key was used for another request.',
    explanation:
      'An Idempotency-Key names one request: method, path and body. Use a new one for a new request.',
  },
  webhook_url_not_allowed: {
    status: 422,
    title: 'Webhook URL not allowed',
    detail: 'The URL cannot receive webhooks: {reason}',
    explanation:
      'A webhook URL is `https:`, without credentials or fragment, and its host is a public name or a public address. Names are judged again at each connection.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    detail: 'Too many requests. Please wait for the time in Retry-After.',
    explanation:
      'A key may make so many requests in any 60 seconds, 600 unless it has a limit of its own. `RateLimit` says what is left, `Retry-After` when the next request is admitted. An address may start 10 device logins in any minute and have 5 undecided; a person who gave five wrong user codes waits up to ten minutes. Sign-ins and step-ups that failed several times have to wait, longer each time, and are never locked. Of the expensive reads of an organization (lists of deliveries, endpoints, statistics) two run at a time in each process; the others wait up to 5 seconds, and then get this answer.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    detail: 'Something went wrong on our side. Tell us the request id if it lasts.',
    explanation:
      'A defect on our side. The request may be sent again; name `request_id` when you report it.',
  },
  service_unavailable: {
    status: 503,
    title: 'Service unavailable',
    detail: 'The service cannot answer at the moment. Please try again.',
    explanation:
      'A part of the service is down or restarting. Try again after the time in `Retry-After`.',
  },
  webhooks_unavailable: {
    status: 503,
    title: 'Webhooks unavailable',
    detail: 'Webhooks need the secrets store, which is not configured on this installation.',
    explanation:
      'The operator has not configured the secrets store (`SECRETS_KEYRING`), which keeps the signing secrets of webhooks.',
  },
} as const satisfies Record<string, ProblemEntry>

interface ProblemEntry {
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly explanation: string
}

/** A code of {@link problemCatalog}. */
export type ProblemCode = keyof typeof problemCatalog

/** A member at fault in a 422: `pointer` is a JSON Pointer (RFC 6901) into the body or the query. */
export interface MemberFault {
  readonly pointer: string
  readonly message: string
}

/** What an occurrence of a problem adds to its catalog entry. */
export interface ProblemFacts {
  /** Fills the `{name}` places of the entry's `detail`. */
  readonly facts?: Readonly<Record<string, string>>
  /** Says what happened where the entry's sentence is about something else. */
  readonly detail?: string
  /** The members at fault, for a 422. */
  readonly errors?: readonly MemberFault[]
  /** Header fields of the answer, for example `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A refusal with a public meaning. Operations throw it; the API's boundary turns it into RFC 9457. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly status: number
  readonly title: string
  readonly errors: readonly MemberFault[] | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ProblemCode, { facts = {}, detail, errors, headers = {} }: ProblemFacts = {}) {
    const entry = problemCatalog[code]
    super(
      detail ?? entry.detail.replace(/\{(\w+)\}/g, (place, name: string) => facts[name] ?? place),
    )
    this.name = 'Problem'
    this.code = code
    this.status = entry.status
    this.title = entry.title
    this.errors = errors
    this.headers = headers
  }
}

/**
 * The one answer for what is missing, of another tenant, or not visible to the caller
 * (docs/specification/requests.md#paths-and-visibility).
 */
export const notFound = (): Problem => new Problem('not_found')

/**
 * A 422 that names the members at fault.
 *
 * @param errors - at least one fault.
 */
export const validationFailed = (...errors: MemberFault[]): Problem =>
  new Problem('validation_failed', { errors })
