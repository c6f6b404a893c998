import { deliveryStatuses, exampleTypes } from '@hosting/core/webhooks'
import { Type } from 'typebox'
import { read } from './define-route.ts'
import { listenToEvents } from '../use-cases/listen.ts'
import { replayDeliveries, replaysMax, triggerExample } from '../use-cases/own-streams.ts'
import { component, count, strictObject, text, timeText, uuid, wordOf } from '../schemas/common.ts'

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

const namedMax = 100

const triggerRoute = read({
  operationId: 'webhooks.trigger',
  method: 'POST',
  path: '/webhooks/listen/trigger',
  summary: 'Send an example event to your own streams',
  description:
    'Sends an event with the example data of its type to the open streams of the same key or person in this organization, and to nobody else. It has no delivery and is not in the event log.',
  auth: 'webhooks.read',
  needsSecretsStore: true,
  body: strictObject({
    type: wordOf([...exampleTypes], 'The event type.'),
    data: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description:
          'Members of `data` that replace those of the example. The result must match the schema of the type.',
      }),
    ),
  }),
  returns: {
    status: 202,
    description: 'The event is on its way.',
    schema: component('Triggered', {
      streams: count('The number of streams to which the event was sent, at least 1.'),
    }),
  },
  problems: ['conflict'],
  handle: ({ caller, body }, services) => triggerExample(services, caller, body),
})

const replayRoute = read({
  operationId: 'webhooks.replay',
  method: 'POST',
  path: '/webhooks/listen/replay',
  summary: 'Send deliveries again to your own streams',
  description: `Sends the events of real deliveries to the open streams of the same key or person in this organization, and to nobody else. They have the ids that they had, and the signature of the stream, without the custom headers of their endpoint. No attempt is recorded, and no endpoint gets anything. Give at least one member; deliveries must match both \`since\` and \`status\`. Of more than ${replaysMax.toLocaleString('en')} deliveries, the newest are sent, oldest first.`,
  auth: 'webhooks.read',
  needsSecretsStore: true,
  body: Type.Object(
    {
      delivery_ids: Type.Optional(
        Type.Array(uuid(), {
          minItems: 1,
          maxItems: namedMax,
          description: 'These deliveries.',
        }),
      ),
      event_ids: Type.Optional(
        Type.Array(uuid(), {
          minItems: 1,
          maxItems: namedMax,
          description:
            'These events, each once: with the id of its newest delivery, or with a new one if it has none.',
        }),
      ),
      since: Type.Optional(timeText('Only deliveries created at or after this time.')),
      status: Type.Optional(wordOf(deliveryStatuses, 'Only deliveries with this status.')),
    },
    { additionalProperties: false, minProperties: 1 },
  ),
  returns: {
    status: 202,
    description: 'The events are on their way.',
    schema: component('Replayed', {
      deliveries: count('The number of events that are sent to each stream.'),
    }),
  },
  problems: ['conflict'],
  handle: ({ caller, body }, services) => replayDeliveries(services, caller, body),
})

/** The event stream, and what a caller sends to their own streams. */
export const listenRoutes = [listenRoute, triggerRoute, replayRoute]
