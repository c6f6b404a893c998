import { enrolTotp } from '../../../use-cases/totp.ts'
import { sessionRoute } from '../../public-route.ts'
import { emptyBody, oneTimeText, strictObject } from '../../schemas.ts'

export const enrolTotpRoute = sessionRoute({
  operation: 'auth.totp.enrol',
  method: 'POST',
  path: '/auth/factors/totp',
  summary: 'Enrol an authenticator app',
  description: 'It is active once its first code is verified; until then you can enrol again.',
  auth: 'session',
  confirmed: true,
  refusesImpersonation: true,
  changes: true,
  ignoresIdempotencyKey: true,
  body: emptyBody,
  answers: {
    201: {
      description: 'The URI for the authenticator app, usually shown as a QR code.',
      schema: strictObject({
        otpauth_uri: oneTimeText('An `otpauth:` URI with the seed. It is returned only once.'),
      }),
    },
  },
  problems: ['conflict'],
  handle: (request, services) => enrolTotp(services, request),
})
