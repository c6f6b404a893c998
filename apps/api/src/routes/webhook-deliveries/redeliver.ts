import { redeliverOne } from '../../use-cases/redeliver.ts'
import { route } from '../public-route.ts'
import { deliveryRecord, emptyBody, idParams, strictObject } from '../schemas.ts'

export const redeliverRoute = route({
  operation: 'webhook-deliveries.redeliver',
  method: 'POST',
  path: '/webhook-deliveries/:id/redeliver',
  summary: 'Redeliver an event',
  description:
    'Creates a new delivery of the same event to the same endpoint, with its own id and retries. If the endpoint is disabled, the delivery waits.',
  auth: 'webhooks.manage',
  changes: true,
  needsSecretsStore: true,
  params: idParams,
  body: emptyBody,
  answers: {
    202: { description: 'The new delivery.', schema: strictObject({ delivery: deliveryRecord }) },
  },
  problems: ['conflict'],
  handle: (request, services) => redeliverOne(services, request, request.params.id),
})
