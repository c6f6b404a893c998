import { eventsPerPublicationMax } from '@hosting/core/webhooks'
import { Type } from 'typebox'
import { customChange } from '../routes/define-route.ts'
import { publicationBody, publish } from '../use-cases/publish.ts'
import { count, strictObject, uuid } from '../schemas/common.ts'

export const publishEventsRoute = customChange({
  operationId: 'internal.events',
  method: 'POST',
  path: '/events',
  summary: `Publish one event, or up to ${eventsPerPublicationMax.toLocaleString('en')} at once`,
  description:
    'The body is an event `{ id?, type, tenant_id, created_at?, data }`, or `{ events: [...] }`. `data` is validated against the schema of the type. All events are accepted or none; accepted means committed to PostgreSQL. An event whose `id` was accepted before is not published again.',
  auth: 'service',
  body: Type.Unknown(),
  documentedBody: publicationBody,
  returns: {
    status: 202,
    description: 'The events in the order of the request, each with its number of deliveries.',
    schema: strictObject({
      items: Type.Array(
        strictObject({
          id: uuid('The id of the event, given or new.'),
          deliveries: count('The number of endpoints that the event is delivered to.'),
        }),
        { description: 'The events, in the order of the request.' },
      ),
    }),
  },
  problems: [],
  handle: ({ body, whenGone }, services) => publish(services, body, whenGone()),
})
