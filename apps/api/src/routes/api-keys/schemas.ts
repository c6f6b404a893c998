import { allowlistMax, graceSecondsMax, rateLimitDefault } from '@hosting/core'
import { Type } from 'typebox'
import { keyRecord, nullable, oneTimeText, strictObject } from '../schemas.ts'

/** The form of a key id. */
export const keyIdPattern = '^[a-z2-7]{12}$'

/** A key id in a path. What is not one names nothing. */
export const keyParams = strictObject({ id: Type.String({ pattern: keyIdPattern }) })

export const keyAnswer = strictObject({ key: keyRecord })

export const keyAndTokenAnswer = strictObject({
  key: keyRecord,
  token: oneTimeText('The full token. It is shown here alone.'),
})

export const keyName = Type.String({ minLength: 1, maxLength: 100, format: 'visible-text' })

export const keyScopes = Type.Array(Type.String({ format: 'scope' }), {
  minItems: 1,
  maxItems: 50,
  description: '`<resource>:read`, `<resource>:write`, `*:read` or `*`.',
})

export const keyAllowlist = nullable(
  Type.Array(Type.String({ format: 'ip-network' }), {
    minItems: 1,
    maxItems: allowlistMax,
    description: 'Addresses or CIDRs that may use the key, without host bits; null for all.',
  }),
)

export const keyRateLimit = Type.Integer({ minimum: 1, maximum: rateLimitDefault })

/** The body of a rotation, which may be left out. */
export const rotationBody = Type.Optional(
  strictObject({
    grace_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: graceSecondsMax,
        description: 'How long the secret so far stays valid; 0 or none ends all old ones at once.',
      }),
    ),
  }),
)
