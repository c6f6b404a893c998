import { Type } from 'typebox'
import { listen } from '../../use-cases/listen.ts'
import { route } from '../public-route.ts'

export const listenRoute = route({
  operation: 'webhooks.listen',
  method: 'GET',
  path: '/webhooks/listen',
  summary: "Stream the organization's events as they are published",
  description:
    'For `hctl listen` and other interactive tools. Events that are published while you are not connected are not sent later, and nothing is retried. The first message is `{"secret"}`, a signing secret for this stream only. Each further message is an event, `{"headers", "body"}`, with the headers and the exact body that an endpoint would receive, signed with that secret. `webhook.ping` goes only to its endpoint. A comment is sent every 15 seconds. If the service ends the stream, the last message is named `end` and holds `{"code", "detail"}`: `restarting`, `interrupted` or `too_slow`, after which you can reconnect, or the code of the problem that a new request would get. A stream ends within 2 seconds after its key or session ends, and never sends events published later. An organization can have 5 streams at a time, a key or person 2 of them.',
  auth: 'webhooks.read',
  needsSecretsStore: true,
  answers: {
    200: {
      description: 'Server-Sent Events, until you disconnect.',
      mediaType: 'text/event-stream',
      schema: Type.String(),
    },
  },
  problems: ['conflict'],
  handle: (request, services) => listen(services, request),
})
