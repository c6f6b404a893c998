import { patternsMax } from '@hosting/core'
import { Type } from 'typebox'
import { nullable } from '../schemas.ts'

/** The members of an endpoint that callers can set. */
export const webhookMembers = {
  url: Type.String({
    format: 'webhook-url',
    description:
      'HTTPS to a public address. No credentials, no fragment; at most 2,048 characters.',
  }),
  events: Type.Array(Type.String({ format: 'event-pattern' }), {
    minItems: 1,
    maxItems: patternsMax,
    uniqueItems: true,
    description: 'Patterns: `*`, `<resource>.*` or an exact event type.',
  }),
  description: Type.Optional(nullable(Type.String({ maxLength: 200, format: 'visible-text' }))),
  enabled: Type.Optional(Type.Boolean()),
}
