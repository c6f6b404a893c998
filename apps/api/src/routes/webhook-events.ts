import { eventTypes, type EventType } from '@hosting/core/webhooks'
import { Type } from 'typebox'
import { read } from '../http/define-route.ts'
import { listenToEvents } from '../use-cases/listen.ts'
import { component, nullable, strictObject, text, wordOf } from '../schemas/common.ts'

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

const listenRoute = read({
  operationId: 'webhooks.listen',
  withoutTurn: 'stream',
  path: '/webhooks/listen',
  summary: "Stream the organization's events as they are published",
  description:
    'For `hctl listen` and other interactive tools. Events that are published while you are not connected are not sent later, and nothing is retried. The first message is `{"secret"}`, a signing secret for this stream only. Each further message is an event, `{"headers", "body"}`, with the headers and the exact body that an endpoint would receive, signed with that secret. `webhook.ping` goes only to its endpoint. A comment is sent every 15 seconds. If the service ends the stream, the last message is named `end` and contains `{"code", "detail"}`: `restarting`, `interrupted` or `too_slow`, after which you can reconnect, or the code of the problem that a new request would get. A stream ends within 2 seconds after its key or session ends, and never sends events published later. An organization can have 5 streams at a time, of which a key or a person can have 2.',
  auth: 'webhooks.read',
  needsSecretsStore: true,
  query: strictObject({
    standard_webhooks: Type.Optional(
      Type.Unsafe<'true'>({
        type: 'string',
        enum: ['true'],
        description:
          'Events also carry the headers of Standard Webhooks, as for an endpoint with `standard_webhooks`.',
      }),
    ),
  }),
  returns: {
    status: 200,
    description: 'Server-Sent Events, until you disconnect. The schema is that of one message.',
    mediaType: 'text/event-stream',
    schema: Type.Object({
      event: Type.Optional(
        wordOf(
          ['message', 'end'],
          'The name of the message. `end` is the last one. Absent means `message`.',
        ),
      ),
      data: text('The message as JSON on one line.'),
    }),
  },
  problems: ['conflict'],
  handle: ({ caller, query, reauthorize }, services) =>
    listenToEvents(services, {
      caller,
      isStandard: query.standard_webhooks === 'true',
      reauthorize,
    }),
})

/** Event types and the event stream. */
export const webhookEventRoutes = [listEventTypesRoute, listenRoute]
