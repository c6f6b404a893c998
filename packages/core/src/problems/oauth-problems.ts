import * as device from '../device-login/limits.ts'

/** The problems of device logins, token exchanges and OAuth clients, with the codes of RFC 6749 and RFC 8628. */
export const oauthProblems = {
  authorization_pending: {
    status: 400,
    title: 'Authorization pending',
    detail: 'The device login is waiting for approval.',
    explanation:
      'The device login has not been approved or denied in the panel yet. Poll again after `interval` seconds (RFC 8628, section 3.5).',
  },
  slow_down: {
    status: 400,
    title: 'Slow down',
    detail: 'The client polls the device login too often.',
    explanation: `Wait \`interval\` seconds between polls, and add ${device.deviceSlowDownMs / 1_000} seconds to the interval after each of these responses (RFC 8628, section 3.5). The poll did not count.`,
  },
  access_denied: {
    status: 400,
    title: 'Access denied',
    detail: 'The device login was denied.',
    explanation:
      'The person denied the device login, or can no longer grant the approved access: they were deactivated, lost the required role, have changed their password since, or have reached their limit of API keys, or a policy of the organization does not allow it; then `detail` says which. Start a new device login to try again.',
  },
  expired_token: {
    status: 400,
    title: 'Expired device code',
    detail: 'The device code is unknown, has expired, or was already redeemed.',
    explanation: `A device code is valid for ${device.deviceCodeLifetimeMs / 1_000} seconds and for one key. Unknown codes get the same response. Start a new device login.`,
  },
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    detail: 'A member of the request is invalid: {reason}',
    explanation:
      'A member of an OAuth request is missing, empty, repeated, not text or not supported (RFC 6749, section 5.2); `detail` says which. Nothing was used up. Correct the request and send it again.',
  },
  invalid_scope: {
    status: 400,
    title: 'Invalid scope',
    detail: 'The requested scope {scope} is unknown.',
    explanation:
      'A device login can be limited to scopes, whose names `scope` lists, separated by spaces. `GET /api-keys/scopes` and `scopes_supported` of `/.well-known/oauth-authorization-server` list them. Leave it out for a key that only the decision of the person limits.',
  },
  unsupported_grant_type: {
    status: 400,
    title: 'Unsupported grant type',
    detail: 'This `grant_type` is not supported here. Supported: {supported}',
    explanation:
      'The token endpoint `POST /oauth/token` supports device logins (RFC 8628) and the token exchange (RFC 8693), and `POST /auth/token` only the token exchange. Nothing was used up. Correct `grant_type` and send the request again.',
  },
  invalid_grant: {
    status: 400,
    title: 'Invalid grant',
    detail: 'The identity token is not accepted for a workload key.',
    explanation:
      'The identity token does not name a valid workload key as its audience, was not issued by the issuer of the key, has an invalid signature or times, does not meet the conditions of the key, or was exchanged before. The response does not say which. The audit log of the organization does, if the audience names a valid key. Request a new identity token from the issuer and try again.',
  },
  invalid_client: {
    status: 401,
    title: 'Invalid client',
    detail:
      'Clients have no secret. Send the client id with an empty password, or in `client_id` of the body.',
    explanation:
      'The OAuth endpoints take public clients without registration. `Authorization: Basic` has a password or cannot be read. Send `client_id` in the body, or the client id as the user of `Authorization: Basic` with an empty password.',
  },
} as const
