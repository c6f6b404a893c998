import { Type } from 'typebox'
import { change } from './define-route.ts'
import { anyBody } from '../schemas/validation.ts'
import { exchangeToken } from '../use-cases/token-exchange.ts'
import { verifyExchange } from '../use-cases/verify-exchange.ts'
import { exchangedToken } from '../schemas/oauth.ts'
import { text } from '../schemas/common.ts'

/** Exchanges an identity token for a token of a workload key. */
export const exchangeTokenRoute = change({
  operationId: 'auth.token',
  method: 'POST',
  path: '/auth/token',
  summary: 'Exchange an identity token',
  description:
    'Token exchange (RFC 8693): a CI job or a machine exchanges an identity token of its issuer for a short-lived token of the workload key that the audience of the identity token names. White space around the token is ignored. With `single_use`, each identity token is exchanged once. A key has at most 50 unexpired tokens and 60 exchanges per minute, and an IPv4 address or IPv6 /64 at most 20 responses `invalid_grant` or 503 per minute. Other members of the body, `Authorization` and cookies are ignored.',
  auth: 'none',
  errorFormat: 'oauth',
  forms: 'accepted',
  // The use case checks the members: their order of checks and their problems are those of RFC 6749.
  body: anyBody,
  documentedBody: Type.Object({
    grant_type: text('`urn:ietf:params:oauth:grant-type:token-exchange`.'),
    subject_token: text('The identity token: a JWT that is signed by the issuer of the key.'),
    subject_token_type: text(
      '`urn:ietf:params:oauth:token-type:id_token` or `urn:ietf:params:oauth:token-type:jwt`.',
    ),
  }),
  returns: {
    status: 200,
    description: 'The token.',
    schema: exchangedToken,
  },
  problems: ['invalid_request', 'unsupported_grant_type', 'invalid_grant', 'rate_limited'],
  prepare: ({ body, ip }, services) => verifyExchange(services, body, ip),
  handle: ({ prepared, ip, requestId, work }, services) =>
    exchangeToken(services, prepared, { ip, requestId, work }),
})
