import { enrolTotp } from '../../../operations/totp.ts'
import { sessionRoute } from '../../public-route.ts'
import { emptyBody, oneTimeText, strictObject } from '../../schemas.ts'

export const enrolTotpRoute = sessionRoute({
  operation: 'auth.totp.enrol',
  method: 'POST',
  path: '/auth/factors/totp',
  summary: 'Enrol an authenticator',
  description: 'It counts once its first code was verified; until then it may be enrolled anew.',
  auth: 'session',
  confirmed: true,
  refusesImpersonation: true,
  changes: true,
  ignoresIdempotencyKey: true,
  body: emptyBody,
  answers: {
    201: {
      description: 'What the authenticator takes, often as a QR code.',
      schema: strictObject({
        otpauth_uri: oneTimeText('An `otpauth:` URI with the seed. It is shown here alone.'),
      }),
    },
  },
  problems: ['conflict'],
  handle: (request, services) => enrolTotp(services, request),
})
