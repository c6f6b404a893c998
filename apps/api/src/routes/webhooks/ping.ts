import { ping } from '../../use-cases/ping.ts'
import { route } from '../public-route.ts'
import { deliveryRecord, emptyBody, idParams, strictObject } from '../schemas.ts'

export const pingWebhookRoute = route({
  operation: 'webhooks.ping',
  method: 'POST',
  path: '/webhooks/:id/ping',
  summary: 'Send a test event to an endpoint',
  auth: 'webhooks.manage',
  changes: true,
  needsSecretsStore: true,
  params: idParams,
  body: emptyBody,
  answers: {
    202: {
      description: 'The delivery of `webhook.ping`.',
      schema: strictObject({ delivery: deliveryRecord }),
    },
  },
  problems: ['webhook_disabled'],
  handle: (request, services) => ping(services, request, request.params.id),
})
