import { Type } from 'typebox'
import { signIn } from '../../../use-cases/sign-in.ts'
import { openRoute } from '../../public-route.ts'
import { strictObject } from '../../schemas.ts'
import { sessionAnswer, shownPassword } from '../schemas.ts'

export const createSessionRoute = openRoute({
  operation: 'auth.session.create',
  method: 'POST',
  path: '/auth/session',
  summary: 'Sign in',
  description:
    'Returns the session as a cookie. After several failures for an account or from an address, further tries are throttled. `Idempotency-Key` is ignored.',
  auth: 'sign_in',
  body: strictObject({
    email: Type.String({ minLength: 1, maxLength: 254 }),
    password: shownPassword,
    totp_code: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 32,
        description: 'The current code of the authenticator app, or a recovery code.',
      }),
    ),
  }),
  answers: { 201: { description: 'Signed in, with the cookie.', schema: sessionAnswer } },
  problems: ['invalid_credentials', 'totp_required'],
  handle: (request, services) => signIn(services, request, request.body),
})
