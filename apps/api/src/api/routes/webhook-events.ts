import { eventTypes, type EventType } from '@hosting/core/webhooks'
import { Type } from 'typebox'
import { read } from './define-route.ts'
import { component, nullable, strictObject, text } from '../schemas/common.ts'

const listEventTypesRoute = read({
  operationId: 'webhooks.event-types',
  withoutTurn: 'no records',
  path: '/webhooks/event-types',
  summary: 'List the event types with the schema and an example of their data',
  description:
    'What an endpoint can subscribe to. The list is complete and has one page. Receivers ignore types that they do not know.',
  auth: 'webhooks.read',
  returns: {
    status: 200,
    description: 'All event types. New ones may be added at any time.',
    schema: strictObject({
      items: Type.Array(
        component('EventType', {
          type: text('The event type, for example `site.created`.'),
          resource: text('The part of the type before the dot, for `<resource>.*`.'),
          description: text('When the event is published.'),
          deprecated: Type.Boolean({
            description: 'Whether the type will be removed. Do not subscribe to it.',
          }),
          reserved: Type.Boolean({
            description: 'Whether the type is not published yet. You can subscribe to it.',
          }),
          schema: Type.Unsafe<EventType['schema']>(
            Type.Record(Type.String(), Type.Unknown(), {
              description: 'The JSON Schema of `data`.',
            }),
          ),
          example: nullable(
            Type.Record(Type.String(), Type.Unknown(), {
              description: 'An example of `data`. Null for reserved types.',
            }),
          ),
        }),
        { description: 'All event types.' },
      ),
    }),
  },
  problems: [],
  handle: () => Promise.resolve({ items: [...eventTypes.values()] }),
})

/** Event types. */
export const eventTypeRoutes = [listEventTypesRoute]
