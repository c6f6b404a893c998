import { Type } from 'typebox'
import { listen } from '../../operations/listen.ts'
import { route } from '../public-route.ts'

export const listenRoute = route({
  operation: 'webhooks.listen',
  method: 'GET',
  path: '/webhooks/listen',
  summary: "Listen to the organization's events as they are published",
  description:
    'For `hctl listen` and other tools at hand: what is published while nobody listens is not given later, and nothing is retried. The first message is `{"secret"}`, a signing secret of this stream\'s own. Each further one is an event, `{"headers", "body"}`, with the headers and the exact body that an endpoint would get, signed with that secret; `webhook.ping` is sent to its endpoint alone. A comment comes every 15 seconds. Where the service ends the stream, the last message has the name `end` and is `{"code", "detail"}`: `restarting`, `interrupted` or `too_slow`, after which you may listen again, or the code of the problem that a new request would get. A stream ends within 2 seconds when its key or session ends, and gives no event published after that. An organization has 5 streams at once, a key or a person 2 of them.',
  auth: 'webhooks.read',
  needsSecretsStore: true,
  answers: {
    200: {
      description: 'Server-Sent Events, until you leave.',
      mediaType: 'text/event-stream',
      schema: Type.String(),
    },
  },
  problems: ['conflict'],
  handle: (request, services) => listen(services, request),
})
