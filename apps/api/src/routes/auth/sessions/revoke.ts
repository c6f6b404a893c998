import { endSession } from '../../../use-cases/sessions.ts'
import { sessionRoute } from '../../public-route.ts'
import { idParams } from '../../schemas.ts'

export const revokeSessionRoute = sessionRoute({
  operation: 'auth.sessions.revoke',
  method: 'DELETE',
  path: '/auth/sessions/:id',
  summary: 'End one of your sessions',
  description: 'Takes effect from the next request, on every process.',
  auth: 'session',
  changes: true,
  params: idParams,
  answers: { 204: { description: 'The session has ended.' } },
  problems: [],
  handle: (request) => endSession(request, request.params.id),
})
