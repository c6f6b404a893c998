import { stopImpersonation } from '../../../operations/impersonation.ts'
import { sessionRoute } from '../../public-route.ts'
import { sessionAnswer } from '../schemas.ts'

export const stopImpersonationRoute = sessionRoute({
  operation: 'auth.impersonation.stop',
  method: 'DELETE',
  path: '/auth/impersonation',
  summary: 'Be yourself again',
  auth: 'session',
  changes: true,
  answers: { 200: { description: 'You act as yourself.', schema: sessionAnswer } },
  problems: ['conflict'],
  handle: (request, services) => stopImpersonation(services, request),
})
