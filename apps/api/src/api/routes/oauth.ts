import { clientNameLengthMax } from '@hosting/core/device-login'
import { deviceCodeGrant, tokenExchangeGrant } from '@hosting/core/oauth'
import { Type } from 'typebox'
import type { PublicCaller } from '../access/authenticate.ts'
import { change, customChange } from './define-route.ts'
import type { Route } from './route.ts'
import { anyBody } from '../schemas/validation.ts'
import { authorizeDevice, issueToken, revokeToken } from '../use-cases/oauth.ts'
import { strictObject, text } from '../schemas/common.ts'
import { deviceCodes, deviceToken, exchangedToken } from '../schemas/oauth.ts'

/** The base path of the OAuth endpoints. */
export const oauthBase = '/oauth'

/** What the endpoints share. The use cases check the bodies: their checks and problems are those of RFC 6749. */
const ofClients = {
  method: 'POST',
  auth: 'none',
  errorFormat: 'oauth',
  forms: 'required',
  body: anyBody,
} as const

const clientId = text(
  `The name of the client: 1 to ${clientNameLengthMax} characters of visible text. \`Authorization: Basic\` can name it instead.`,
)

const authorizeDeviceRoute = change({
  ...ofClients,
  operationId: 'oauth.device_authorization',
  path: '/device_authorization',
  summary: 'Start a device login',
  documentedBody: Type.Object({
    client_id: clientId,
    scope: Type.Optional(
      text('The scopes to which the client limits the key, separated by spaces.'),
    ),
  }),
  returns: { status: 200, description: 'The codes.', schema: deviceCodes },
  problems: ['invalid_request', 'invalid_client', 'invalid_scope', 'rate_limited'],
  handle: (request, services) => authorizeDevice(services, request),
})

const issueTokenRoute = customChange({
  ...ofClients,
  operationId: 'oauth.token',
  path: '/token',
  summary: 'Get a token for a device login or an identity token',
  documentedBody: Type.Object({
    grant_type: text(`\`${deviceCodeGrant}\` or \`${tokenExchangeGrant}\`.`),
    client_id: Type.Optional(clientId),
    device_code: Type.Optional(text('The `device_code` of the start.')),
    subject_token: Type.Optional(text('The identity token.')),
    subject_token_type: Type.Optional(text('The type of the identity token.')),
  }),
  returns: {
    status: 200,
    description: 'The token, which is returned only once.',
    schema: Type.Union([deviceToken, exchangedToken]),
  },
  problems: [
    'invalid_request',
    'invalid_client',
    'unsupported_grant_type',
    'invalid_grant',
    'authorization_pending',
    'slow_down',
    'access_denied',
    'expired_token',
    'rate_limited',
  ],
  handle: (request, services) => issueToken(services, request),
})

const revokeTokenRoute = change({
  ...ofClients,
  operationId: 'oauth.revoke',
  path: '/revoke',
  summary: 'Revoke the key of a token',
  documentedBody: Type.Object({ token: text('The full token of the key.') }),
  returns: {
    status: 200,
    description: 'If the token was valid, its key is revoked.',
    schema: strictObject({}),
  },
  problems: ['invalid_request', 'invalid_client', 'rate_limited'],
  async handle(request, services) {
    await revokeToken(services, request)
    return {}
  },
})

/** The OAuth endpoints (RFC 7009, 8628 and 8693), which standard clients call. */
export const oauthRoutes: readonly Route<PublicCaller>[] = [
  authorizeDeviceRoute,
  issueTokenRoute,
  revokeTokenRoute,
]
