import { Type } from 'typebox'
import { nullable, oneTimeText, strictObject, time, uuid } from '../schemas.ts'

const text = Type.String()

/** A password as it is shown; what is longer is none. */
export const shownPassword = Type.String({ minLength: 1, maxLength: 256 })

/** A code of the authenticator as people type it. */
export const totpCode = Type.String({
  minLength: 1,
  maxLength: 32,
  description: 'The current code of the authenticator.',
})

export const sessionAnswer = strictObject({
  user: strictObject({
    id: uuid,
    name: text,
    email: nullable(text),
    kind: Type.String({ enum: ['human', 'service'] }),
  }),
  tenant: strictObject({ id: uuid, slug: text, name: text }),
  csrf_token: oneTimeText('Goes with every write, in the header `X-CSRF-Token`.'),
  confirmed_at: time,
  expires_at: Type.String({
    format: 'date-time',
    description: 'When the session ends if it is not used again.',
  }),
  impersonator: Type.Unsafe<{ id: string; name: string } | null>({
    anyOf: [strictObject({ id: uuid, name: text }), { type: 'null' }],
    description: 'Who acts as the user; null where the user acts.',
  }),
})
