import { Type } from 'typebox'
import { confirmSession, verifyConfirmation } from '../../../use-cases/sessions.ts'
import { sessionRoute } from '../../public-route.ts'
import { strictObject } from '../../schemas.ts'
import { sessionAnswer, shownPassword, totpCode } from '../schemas.ts'

export const confirmSessionRoute = sessionRoute({
  operation: 'auth.session.confirm',
  method: 'POST',
  path: '/auth/session/confirm',
  summary: 'Confirm your identity',
  description:
    'The step-up before sensitive operations; it is valid for 5 minutes. The session gets a new cookie and CSRF token; the old ones stop working immediately. While impersonating, send your own password.',
  auth: 'session',
  changes: true,
  ignoresIdempotencyKey: true,
  body: strictObject({ password: shownPassword, totp_code: Type.Optional(totpCode) }),
  answers: { 200: { description: 'Confirmed, with a new cookie.', schema: sessionAnswer } },
  problems: ['invalid_credentials', 'totp_required'],
  prepare: ({ caller, body }, services) => verifyConfirmation(services, caller, body),
  handle: (request, services) =>
    confirmSession(services, request, {
      verified: request.prepared,
      code: request.body.totp_code,
    }),
})
