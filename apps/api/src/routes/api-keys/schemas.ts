import { allowlistMax, graceSecondsMax, rateLimitDefault } from '@hosting/core'
import { Type } from 'typebox'
import { keyRecord, nullable, oneTimeText, strictObject } from '../schemas.ts'

/** The format of a key id. */
export const keyIdPattern = '^[a-z2-7]{12}$'

/** A key id in a path. Malformed ids are not found. */
export const keyParams = strictObject({ id: Type.String({ pattern: keyIdPattern }) })

export const keyAnswer = strictObject({ key: keyRecord })

export const keyAndTokenAnswer = strictObject({
  key: keyRecord,
  token: oneTimeText('The full token. It is returned only once.'),
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
    description:
      'IP addresses or CIDR ranges that may use the key, without host bits; null for all.',
  }),
)

export const keyRateLimit = Type.Integer({ minimum: 1, maximum: rateLimitDefault })

/** The optional body of a rotation. */
export const rotationBody = Type.Optional(
  strictObject({
    grace_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: graceSecondsMax,
        description:
          'The overlap period: how long the current secret stays valid. With 0 or without this member, all old secrets end immediately.',
      }),
    ),
  }),
)
