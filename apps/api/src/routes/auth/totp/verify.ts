import { recoveryCodesCount } from '@hosting/core'
import { Type } from 'typebox'
import { activateTotp } from '../../../use-cases/totp.ts'
import { sessionRoute } from '../../public-route.ts'
import { strictObject } from '../../schemas.ts'
import { totpCode } from '../schemas.ts'

export const verifyTotpRoute = sessionRoute({
  operation: 'auth.totp.verify',
  method: 'POST',
  path: '/auth/factors/totp/verify',
  summary: 'Activate the enrolled authenticator app',
  description: 'Ends your other sessions.',
  auth: 'session',
  confirmed: true,
  refusesImpersonation: true,
  changes: true,
  ignoresIdempotencyKey: true,
  body: strictObject({ totp_code: totpCode }),
  answers: {
    200: {
      description:
        'Activated. Each recovery code can be used once instead of an authenticator code at sign-in.',
      schema: strictObject({
        recovery_codes: Type.Unsafe<string[] | null>({
          type: ['array', 'null'],
          items: { type: 'string' },
          minItems: recoveryCodesCount,
          maxItems: recoveryCodesCount,
          description: 'Returned only once. Null in a replayed response.',
        }),
      }),
    },
  },
  problems: ['invalid_credentials', 'conflict'],
  handle: (request, services) => activateTotp(services, request, request.body.totp_code),
})
