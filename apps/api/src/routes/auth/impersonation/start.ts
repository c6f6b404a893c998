import { startImpersonation } from '../../../use-cases/impersonation.ts'
import { sessionRoute } from '../../public-route.ts'
import { strictObject, uuid } from '../../schemas.ts'
import { sessionAnswer } from '../schemas.ts'

export const startImpersonationRoute = sessionRoute({
  operation: 'auth.impersonation.start',
  method: 'POST',
  path: '/auth/impersonation',
  summary: 'Impersonate another user of the organization',
  description:
    'The user must be active and human. The session continues as that user, with a new cookie. The audit log records both identities.',
  auth: 'users.impersonate',
  confirmed: true,
  refusesImpersonation: true,
  changes: true,
  body: strictObject({ user_id: uuid }),
  answers: { 201: { description: 'The session now acts as the user.', schema: sessionAnswer } },
  problems: ['not_found', 'conflict'],
  handle: (request, services) =>
    startImpersonation(services, request, request.body.user_id.toLowerCase()),
})
