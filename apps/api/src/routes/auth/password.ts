import { Type } from 'typebox'
import { changePassword } from '../../operations/passwords.ts'
import { sessionRoute } from '../public-route.ts'
import { strictObject } from '../schemas.ts'

export const changePasswordRoute = sessionRoute({
  operation: 'auth.password',
  method: 'POST',
  path: '/auth/password',
  summary: 'Change your password',
  description: 'Ends your other sessions, and device logins that were approved but not taken yet.',
  auth: 'session',
  confirmed: true,
  refusesImpersonation: true,
  changes: true,
  ignoresIdempotencyKey: true,
  body: strictObject({ new_password: Type.String({ minLength: 12, maxLength: 256 }) }),
  answers: { 204: { description: 'The password is changed.' } },
  problems: ['conflict'],
  handle: (request) => changePassword(request, request.body.new_password),
})
