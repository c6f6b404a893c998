import { passwordLengthMin, passwordLengthMax } from '@hosting/core/sessions'
import { Type } from 'typebox'
import { change } from './define-route.ts'
import { changePassword, prepareNewPassword } from '../use-cases/passwords.ts'
import { strictObject } from '../schemas/common.ts'

export const changePasswordRoute = change({
  operationId: 'auth.password',
  method: 'POST',
  path: '/auth/password',
  summary: 'Change your password',
  description:
    'The session gets a new cookie and CSRF token; the old ones stop working immediately. Ends your other sessions, and device logins that are approved but not yet redeemed. Common passwords and your own email address are rejected. A person without a password cannot set one: 409.',
  auth: 'session',
  withoutSecondFactor: true,
  confirmed: true,
  refusesImpersonation: true,
  ignoresIdempotencyKey: true,
  body: strictObject({
    new_password: Type.String({
      minLength: passwordLengthMin,
      maxLength: passwordLengthMax,
      description: 'The new password. It must be neither common nor your email address.',
    }),
  }),
  returns: {
    status: 204,
    description: 'The password is changed, and the session has a new cookie.',
  },
  problems: ['conflict'],
  prepare: ({ caller, body }) => prepareNewPassword(caller, body.new_password),
  handle: (request, services) => changePassword(services, request, request.prepared),
})
