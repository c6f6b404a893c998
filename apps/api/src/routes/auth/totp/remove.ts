import { removeTotp } from '../../../use-cases/totp.ts'
import { sessionRoute } from '../../public-route.ts'

export const removeTotpRoute = sessionRoute({
  operation: 'auth.totp.remove',
  method: 'DELETE',
  path: '/auth/factors/totp',
  summary: 'Remove the authenticator app and its recovery codes',
  description: 'Returns 204 if there is none, too.',
  auth: 'session',
  confirmed: true,
  refusesImpersonation: true,
  changes: true,
  ignoresIdempotencyKey: true,
  answers: { 204: { description: 'There is no authenticator app.' } },
  problems: ['conflict'],
  handle: (request) => removeTotp(request),
})
