import { rateLimitMax } from '../api-keys/limits.ts'
import { readTurnLimits } from '../concurrency/turns.ts'
import * as device from '../device-login/limits.ts'
import { oauthProblems } from './oauth-problems.ts'
import { rateWindowMs } from '../rate-limit/index.ts'
import { challengeLimit } from '../sessions/passkeys.ts'

/**
 * The catalog of problem codes. Every problem document is created from one of its entries. `explanation` is
 * the text of the page `/problems/<code>`. In `detail`, `{name}` is replaced by a fact given to `Problem`.
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
      'The request could not be read; `detail` says why. It is not valid HTTP, did not arrive in time, or repeats a header field that may occur only once, such as `Host` or `Authorization`. Nothing was changed.',
  },
  ...oauthProblems,
  authentication_required: {
    status: 401,
    title: 'Authentication required',
    detail: 'The request has no credentials.',
    explanation:
      'Send an API key as `Authorization: Bearer <API_KEY>`, or sign in at `POST /auth/session`. An ended session counts as no credentials.',
  },
  invalid_service_token: {
    status: 401,
    title: 'Invalid service token',
    detail: 'The service token is not one of those that the service is configured with.',
    explanation:
      'Only the internal API responds with this. The `Authorization` header has no service token as `Bearer <SERVICE_TOKEN>`, or its SHA-256 hash is not in `INTERNAL_TOKENS` of the API process. API keys are not accepted here.',
  },
  invalid_api_key: {
    status: 401,
    title: 'Invalid API key',
    detail: 'The API key is malformed, unknown, expired or revoked.',
    explanation:
      'The bearer token is not a valid API key: it is malformed, unknown, expired, disabled or revoked, or its user is deactivated. The response is the same in every case. Create or rotate a key and use the new token.',
  },
  invalid_credentials: {
    status: 401,
    title: 'Invalid credentials',
    detail: 'The email address, password, code or passkey is wrong.',
    explanation:
      'The response is the same whether the address is unknown, the password, code or passkey is wrong, or the person may not sign in. After several failures, further sign-ins are delayed.',
  },
  totp_required: {
    status: 401,
    title: 'Code required',
    detail: 'The password is correct. A code from your authenticator app is also required.',
    explanation:
      'The person uses two-factor authentication. Send the current code as `totp_code` together with the password. At sign-in, a recovery code works as well.',
  },
  permission_denied: {
    status: 403,
    title: 'Permission denied',
    detail: 'Your role does not permit this. It requires the permission {permission}.',
    explanation:
      'The credentials are valid, but the role of the acting user does not permit this request. An administrator of the organization can change the role.',
  },
  api_key_not_allowed: {
    status: 403,
    title: 'API key not allowed',
    detail: 'This requires a signed-in session. API keys cannot do it, whatever their scopes.',
    explanation:
      'Passwords, authentication factors, sessions, impersonation and the approval of device logins are reserved for people who are signed in to the panel. Sign in and do it there.',
  },
  api_key_ip_denied: {
    status: 403,
    title: 'API key not allowed from this address',
    detail: 'The API key may not be used from this IP address.',
    explanation:
      "The key has an IP allowlist, and the request's address is not in it. Use the key from an allowed address, or change the list.",
  },
  api_key_wider_than_caller: {
    status: 403,
    title: 'API key wider than the caller',
    detail:
      'A key can only manage keys that are no wider than itself. This key is wider in {aspect}.',
    explanation: `A key may create, change or rotate keys only with scopes, expiry, IP allowlist, accounts and rate limit no wider than its own. Omitted fields count as their defaults: no expiry, no allowlist, no limit to accounts, ${rateLimitMax} requests per minute.`,
  },
  insufficient_scope: {
    status: 403,
    title: 'Insufficient scope',
    detail: 'The API key lacks the required scope {scope}.',
    explanation:
      'The role permits this request, but no scope of the key covers it. Use a key with the scope that `detail` names.',
  },
  csrf_failed: {
    status: 403,
    title: 'CSRF check failed',
    detail: 'The CSRF token is missing or outdated, or the request comes from another site.',
    explanation:
      'A write with a session needs the CSRF token of the session in the `X-CSRF-Token` header, and must not come from another site. Sign-in and `GET /auth/session` return the token; every confirmation replaces it.',
  },
  second_factor_required: {
    status: 403,
    title: 'Second factor required',
    detail: 'Your organization requires a second factor, and you have none. Set one up first.',
    explanation:
      'The security policy of the organization requires a passkey or an authenticator app. Without either, set one up in the panel under Security, or with the routes under `/auth/factors`. With a passkey, confirm a session that began with a password alone: send the passkey to `POST /auth/session/confirm`. Until then, the session can only do that, change the password and manage sessions. API keys are not affected.',
  },
  reauthentication_required: {
    status: 403,
    title: 'Confirmation required',
    detail: 'Confirm your identity first: your last confirmation was more than 5 minutes ago.',
    explanation:
      'Sensitive operations need a sign-in or a confirmation within the last 5 minutes. Send the password or a passkey to `POST /auth/session/confirm` and try again.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    detail: 'The resource does not exist, or you do not have access to it.',
    explanation:
      'The path is unknown, or the record does not exist, belongs to another organization, or is not visible to the caller. The response is the same in every case.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    detail: 'This path does not support {method}.',
    explanation:
      'The path exists, but does not support this method. The `Allow` header lists the supported methods.',
  },
  conflict: {
    status: 409,
    title: 'Conflict',
    detail: 'The request conflicts with the current state: {reason}',
    explanation:
      'The request is valid but cannot be carried out in the current state of the record. Read the record again before you decide whether to retry.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'Idempotent request in progress',
    detail: 'A request with this Idempotency-Key is still in progress.',
    explanation: 'Wait for the time in `Retry-After`, then send the same request again.',
  },
  webhook_disabled: {
    status: 409,
    title: 'Webhook disabled',
    detail: 'The webhook endpoint is disabled. Enable it first.',
    explanation:
      'Deliveries to a disabled endpoint wait, so no test event can be sent and no retry can be made due. Enable the endpoint and send the request again.',
  },
  api_key_limit_reached: {
    status: 409,
    title: 'API key limit reached',
    detail:
      'The API key limit is reached: {owner} already has {max} keys that are neither revoked nor expired.',
    explanation:
      'A user can have 100 keys that are neither revoked nor expired, and an organization 500 of all kinds. Disabled keys count. Revoke keys that are no longer needed and try again.',
  },
  webhook_limit_reached: {
    status: 409,
    title: 'Webhook limit reached',
    detail: 'The organization already has the maximum of {limit} webhook endpoints.',
    explanation:
      'An organization can have 20 webhook endpoints. Delete one that is no longer needed, or add events to an existing one.',
  },
  payload_too_large: {
    status: 413,
    title: 'Payload too large',
    detail: 'The request body is larger than {limit}.',
    explanation:
      'The body exceeds the limit: 256 KiB, or 16 KiB for routes without credentials. If the URL (8,000 bytes) or the header (16 KiB, 100 fields) is too large, `detail` says so.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    detail: 'The request body must be {accepted}.',
    explanation:
      'Send the body as JSON with `Content-Type: application/json`. The routes under `/oauth` take only forms, and `POST /auth/token` and `POST /auth/revoke` take both.',
  },
  validation_failed: {
    status: 422,
    title: 'Validation failed',
    detail: 'One or more fields are invalid; see `errors`.',
    explanation:
      'One or more fields of the request are missing, unknown or invalid. `errors` lists each with a JSON Pointer. Nothing was changed.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency-Key reused',
    detail: 'This Idempotency-Key was used for a different request.',
    explanation:
      'An Idempotency-Key identifies one request with its method, path and body. Use a new key for a new request.',
  },
  api_key_policy_violation: {
    status: 422,
    title: 'Key policy violated',
    detail: "The key does not comply with the organization's key policy; see `errors`.",
    explanation:
      'The organization restricts its keys: their lifetime, whether they need an IP allowlist, and whether personal keys are allowed. `errors` names each field of the key that violates the policy, including fields that the request did not contain. `GET /tenant/key-policy` returns the policy. Nothing was changed.',
  },
  webhook_url_not_allowed: {
    status: 422,
    title: 'Webhook URL not allowed',
    detail: 'The URL cannot receive webhooks: {reason}',
    explanation:
      'A webhook URL uses `https:`, has no credentials and no fragment, and its host is a public name or a public IP address. Names are checked again at each connection.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    detail: 'Too many requests. Wait for the time in Retry-After.',
    explanation: `A key can make ${rateLimitMax} requests in any ${rateWindowMs / 1_000} seconds, unless it has its own limit. \`RateLimit\` contains the number of remaining requests, and \`Retry-After\` the number of seconds until the next request is accepted. An address can start ${device.deviceStartsPerMinute} device logins per minute and have ${device.devicePendingMax} pending, and request ${challengeLimit.max} challenges for passkeys per minute. After ${device.wrongUserCodesMax} wrong user codes, a person waits up to ${device.wrongUserCodeWindowMs / 60_000} minutes. After several failures, sign-ins and confirmations are delayed, longer each time, but accounts are never locked. Each process runs ${readTurnLimits.perKey} expensive reads of an organization at a time (lists of deliveries and endpoints, statistics); others wait up to ${readTurnLimits.waitMs / 1_000} seconds and then get this response.`,
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    detail:
      'Something went wrong on our side. If the error persists, contact support with the request id.',
    explanation:
      'The service has a defect. You can retry the request. Include `request_id` when you report the problem.',
  },
  service_unavailable: {
    status: 503,
    title: 'Service unavailable',
    detail: 'The service is temporarily unavailable. Try again later.',
    explanation:
      'Part of the service is down, overloaded or restarting. Try again after the time in `Retry-After`.',
  },
  webhooks_unavailable: {
    status: 503,
    title: 'Webhooks unavailable',
    detail: 'Webhooks require the secrets store, which is not configured on this installation.',
    explanation:
      'Signing secrets are encrypted in the secrets store, which the operator of this installation has not configured.',
  },
} as const satisfies Record<string, ProblemEntry>

/** The `detail` of `api_key_ip_denied`: behind a proxy, the caller does not know which address the service sees. */
export const deniedAddress = (ip: string): string =>
  `The API key may not be used from the IP address ${ip}.`

/** The `detail` of `permission_denied` for an account out of the caller's reach. */
export const inaccessibleAccount =
  'The account is not accessible: it does not exist in the organization, or it is not among the accounts of the user and the API key.'

/** The `detail` of `second_factor_required` for a person who has a passkey, but began the session with a password alone. */
export const unconfirmedSecondFactor =
  'Your organization requires a second factor, and this session began with a password alone. Confirm your identity with your passkey first.'

interface ProblemEntry {
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly explanation: string
}

/** A code of {@link problemCatalog}. */
export type ProblemCode = keyof typeof problemCatalog

/** The problems that only the internal API responds with. */
export const internalProblems: ReadonlySet<string> = new Set<ProblemCode>(['invalid_service_token'])
