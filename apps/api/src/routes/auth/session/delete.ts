import { signOut } from '../../../use-cases/sessions.ts'
import { sessionRoute } from '../../public-route.ts'

export const deleteSessionRoute = sessionRoute({
  operation: 'auth.session.delete',
  method: 'DELETE',
  path: '/auth/session',
  summary: 'Sign out',
  auth: 'session',
  changes: true,
  answers: { 204: { description: 'Signed out; the cookie is deleted.' } },
  problems: [],
  handle: (request, services) => signOut(services, request),
})
