import { Type } from 'typebox'
import { nullable, oneTimeText, strictObject, time, uuid } from '../schemas.ts'

const text = Type.String()

/** A password to be verified. No password is longer. */
export const shownPassword = Type.String({ minLength: 1, maxLength: 256 })

/** An authenticator code as people type it. */
export const totpCode = Type.String({
  minLength: 1,
  maxLength: 32,
  description: 'The current code of the authenticator app.',
})

export const sessionAnswer = strictObject({
  user: strictObject({
    id: uuid,
    name: text,
    email: nullable(text),
    kind: Type.String({ enum: ['human', 'service'] }),
  }),
  tenant: strictObject({ id: uuid, slug: text, name: text }),
  csrf_token: oneTimeText('Send it with every write in the `X-CSRF-Token` header.'),
  confirmed_at: time,
  expires_at: Type.String({
    format: 'date-time',
    description: 'When the session expires unless it is used again.',
  }),
  impersonator: Type.Unsafe<{ id: string; name: string } | null>({
    anyOf: [strictObject({ id: uuid, name: text }), { type: 'null' }],
    description: 'The person who impersonates the user; null without impersonation.',
  }),
})
