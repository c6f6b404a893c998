import { Type } from 'typebox'
import { publish } from '../use-cases/publish.ts'
import { strictObject, uuid } from '../routes/schemas.ts'
import { internalRoute } from './internal-route.ts'

export const publishEventsRoute = internalRoute({
  operationId: 'internal.events',
  method: 'POST',
  path: '/events',
  summary: 'Publish one event, or up to 1,000 at once',
  description:
    'The body is an event `{ id?, type, tenant_id, created_at?, data }`, or `{ events: [...] }`. `data` is validated against the schema of the type. All events are accepted or none; accepted means committed to PostgreSQL. An event whose `id` was accepted before is not published again.',
  auth: 'service',
  body: Type.Unsafe<unknown>({
    examples: [
      {
        id: '0199f2d4-31b5-7c60-8a55-6d1f0e2c9b47',
        type: 'site.created',
        tenant_id: '5f0c6c2e-0b1d-4c3e-8a9f-1b2c3d4e5f60',
        data: {
          object_type: 'site',
          object_id: 'site-1',
          account_id: 'account-1',
          primary_domain: 'example.com',
        },
      },
    ],
  }),
  responses: {
    202: {
      description: 'The events in the order of the request, each with its number of deliveries.',
      schema: strictObject({
        items: Type.Array(strictObject({ id: uuid, deliveries: Type.Integer({ minimum: 0 }) })),
      }),
    },
  },
  problems: [],
  handle: ({ body }, services) => publish(services, body),
})
