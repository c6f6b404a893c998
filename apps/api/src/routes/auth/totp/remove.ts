import { removeTotp } from '../../../operations/totp.ts'
import { sessionRoute } from '../../public-route.ts'

export const removeTotpRoute = sessionRoute({
  operation: 'auth.totp.remove',
  method: 'DELETE',
  path: '/auth/factors/totp',
  summary: 'Remove the authenticator and its recovery codes',
  description: 'Again: 204.',
  auth: 'session',
  confirmed: true,
  refusesImpersonation: true,
  changes: true,
  ignoresIdempotencyKey: true,
  answers: { 204: { description: 'There is no authenticator.' } },
  problems: ['conflict'],
  handle: (request) => removeTotp(request),
})
