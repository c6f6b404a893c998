import { Type } from 'typebox'
import { anyText } from '../../http/validation.ts'
import { revokeByToken } from '../../use-cases/revoke-by-token.ts'
import { openRoute } from '../public-route.ts'
import { strictObject } from '../schemas.ts'

export const revokeByTokenRoute = openRoute({
  operation: 'auth.revoke',
  method: 'POST',
  path: '/auth/revoke',
  summary: 'Revoke the key of a token',
  description:
    'Whoever has a token may revoke its key, whatever its scopes: to sign out, or because the token has leaked. Unknown, malformed and wrong tokens get 204, too. An IPv4 address or IPv6 /64 may call this 10 times per minute. `Authorization` and cookies are ignored.',
  auth: 'none',
  changes: true,
  body: strictObject({
    token: anyText(),
    descendants: Type.Optional(
      Type.Boolean({
        description: 'Reserved. Keys do not record yet which key created them.',
      }),
    ),
  }),
  answers: { 204: { description: 'If the token was valid, its key is revoked.' } },
  problems: ['rate_limited'],
  handle: ({ body, ip, requestId, work }, services) =>
    revokeByToken(services, { token: body.token, ip, requestId, work }),
})
