import { eventTypes } from '@hosting/core'
import { Type } from 'typebox'
import { route } from '../public-route.ts'
import { nullable, strictObject } from '../schemas.ts'

export const listEventTypesRoute = route({
  operation: 'webhooks.event-types',
  method: 'GET',
  path: '/webhooks/event-types',
  summary: 'List the event types with the schema and an example of their data',
  auth: 'webhooks.read',
  answers: {
    200: {
      description: 'All event types. New ones may be added at any time.',
      schema: strictObject({
        items: Type.Array(
          strictObject({
            type: Type.String(),
            resource: Type.String(),
            description: Type.String(),
            deprecated: Type.Boolean(),
            reserved: Type.Boolean(),
            schema: Type.Record(Type.String(), Type.Unknown()),
            example: nullable(Type.Record(Type.String(), Type.Unknown())),
          }),
        ),
      }),
    },
  },
  problems: [],
  handle: () => Promise.resolve({ items: [...eventTypes.values()] }),
})
