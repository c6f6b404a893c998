import { startImpersonation } from '../../../operations/impersonation.ts'
import { sessionRoute } from '../../public-route.ts'
import { strictObject, uuid } from '../../schemas.ts'
import { sessionAnswer } from '../schemas.ts'

export const startImpersonationRoute = sessionRoute({
  operation: 'auth.impersonation.start',
  method: 'POST',
  path: '/auth/impersonation',
  summary: 'Act as another person of the organization',
  description:
    'An active, human one. The session goes on as theirs with a new cookie; the audit log shows both of you.',
  auth: 'users.impersonate',
  confirmed: true,
  refusesImpersonation: true,
  changes: true,
  body: strictObject({ user_id: uuid }),
  answers: { 201: { description: 'You act as the person.', schema: sessionAnswer } },
  problems: ['not_found', 'conflict'],
  handle: (request, services) =>
    startImpersonation(services, request, request.body.user_id.toLowerCase()),
})
