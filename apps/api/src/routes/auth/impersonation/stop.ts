import { stopImpersonation } from '../../../use-cases/impersonation.ts'
import { sessionRoute } from '../../public-route.ts'
import { sessionAnswer } from '../schemas.ts'

export const stopImpersonationRoute = sessionRoute({
  operation: 'auth.impersonation.stop',
  method: 'DELETE',
  path: '/auth/impersonation',
  summary: 'Stop impersonating',
  auth: 'session',
  changes: true,
  answers: { 200: { description: 'The session acts as you again.', schema: sessionAnswer } },
  problems: ['conflict'],
  handle: (request, services) => stopImpersonation(services, request),
})
