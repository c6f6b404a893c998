import { change } from './define-route.ts'
import { startImpersonation, stopImpersonation } from '../use-cases/impersonation.ts'
import { sessionResponse, strictObject, uuid } from '../schemas/common.ts'

const startImpersonationRoute = change({
  operationId: 'auth.impersonation.start',
  method: 'POST',
  path: '/auth/impersonation',
  summary: 'Impersonate another user of the organization',
  description:
    'The user must be active and human. The session continues as that user, with a new cookie. The audit log records both identities.',
  auth: { session: 'users.impersonate' },
  confirmed: true,
  refusesImpersonation: true,
  body: strictObject({ user_id: uuid('The id of the user to impersonate.') }),
  returns: {
    status: 201,
    description: 'The session now acts as the user.',
    schema: sessionResponse,
  },
  problems: ['not_found', 'conflict'],
  handle: (request, services) =>
    startImpersonation(services, request, request.body.user_id.toLowerCase()),
})

export const stopImpersonationRoute = change({
  operationId: 'auth.impersonation.stop',
  method: 'DELETE',
  path: '/auth/impersonation',
  summary: 'Stop impersonating',
  description: 'The session continues as you, with a new cookie and CSRF token.',
  auth: 'session',
  returns: { status: 200, description: 'The session acts as you again.', schema: sessionResponse },
  problems: ['conflict'],
  handle: (request, services) => stopImpersonation(services, request),
})

/** Starting and stopping impersonation. */
export const impersonationRoutes = [startImpersonationRoute, stopImpersonationRoute]
