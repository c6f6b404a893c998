import { recoveryCodesCount } from '@hosting/core/sessions'
import { Type } from 'typebox'
import { change } from './define-route.ts'
import { activateTotp, enrolTotp, removeTotp } from '../use-cases/totp.ts'
import { emptyBody, oneTimeText, strictObject, totpCode } from '../schemas/common.ts'

export const enrolTotpRoute = change({
  operationId: 'auth.totp.enrol',
  method: 'POST',
  path: '/auth/factors/totp',
  summary: 'Enroll an authenticator app',
  description: 'It is active once its first code is verified; until then you can enroll again.',
  auth: 'session',
  withoutSecondFactor: 'first',
  confirmed: true,
  refusesImpersonation: true,
  ignoresIdempotencyKey: true,
  body: emptyBody,
  returns: {
    status: 201,
    description: 'The URI for the authenticator app, usually shown as a QR code.',
    schema: strictObject({
      otpauth_uri: oneTimeText(
        'An `otpauth:` URI with the seed, for the authenticator app. It is returned only once.',
      ),
    }),
  },
  problems: ['conflict'],
  handle: (request, services) => enrolTotp(services, request),
})

export const verifyTotpRoute = change({
  operationId: 'auth.totp.verify',
  method: 'POST',
  path: '/auth/factors/totp/verify',
  summary: 'Activate the enrolled authenticator app',
  description: 'Ends your other sessions.',
  auth: 'session',
  withoutSecondFactor: 'first',
  confirmed: true,
  refusesImpersonation: true,
  ignoresIdempotencyKey: true,
  body: strictObject({ totp_code: totpCode }),
  returns: {
    status: 200,
    description:
      'Activated. Each recovery code can be used once instead of an authenticator code at sign-in.',
    schema: strictObject({
      recovery_codes: Type.Unsafe<string[] | null>({
        type: ['array', 'null'],
        items: { type: 'string' },
        minItems: recoveryCodesCount,
        maxItems: recoveryCodesCount,
        description:
          'The recovery codes. They are returned only once. Null in a replayed response.',
      }),
    }),
  },
  problems: ['invalid_credentials', 'conflict'],
  handle: (request, services) => activateTotp(services, request, request.body.totp_code),
})

export const removeTotpRoute = change({
  operationId: 'auth.totp.remove',
  method: 'DELETE',
  path: '/auth/factors/totp',
  summary: 'Remove the authenticator app and its recovery codes',
  description: 'Also returns 204 if there is none.',
  auth: 'session',
  withoutSecondFactor: 'first',
  confirmed: true,
  refusesImpersonation: true,
  ignoresIdempotencyKey: true,
  returns: { status: 204, description: 'There is no authenticator app.' },
  problems: ['conflict'],
  handle: (request) => removeTotp(request),
})

/** Two-factor authentication with an authenticator app. */
export const totpRoutes = [enrolTotpRoute, verifyTotpRoute, removeTotpRoute]
