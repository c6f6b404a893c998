import { passwordLengthMin, passwordLengthMax } from '@hosting/core'
import { Type } from 'typebox'
import { changePassword, prepareNewPassword } from '../use-cases/passwords.ts'
import { sessionRoute } from './public-route.ts'
import { strictObject } from './schemas.ts'

export const changePasswordRoute = sessionRoute({
  operationId: 'auth.password',
  method: 'POST',
  path: '/auth/password',
  summary: 'Change your password',
  description:
    'The session gets a new cookie and CSRF token; the old ones stop working immediately. Ends your other sessions, and device logins that are approved but not yet redeemed. Common passwords and your own email address are rejected.',
  auth: 'session',
  confirmed: true,
  refusesImpersonation: true,
  changes: true,
  ignoresIdempotencyKey: true,
  body: strictObject({
    new_password: Type.String({
      minLength: passwordLengthMin,
      maxLength: passwordLengthMax,
      description: 'The new password. It must be neither common nor your email address.',
    }),
  }),
  responses: { 204: { description: 'The password is changed, and the session has a new cookie.' } },
  problems: ['conflict'],
  prepare: ({ caller, body }) => prepareNewPassword(caller, body.new_password),
  handle: (request, services) => changePassword(services, request, request.prepared),
})
