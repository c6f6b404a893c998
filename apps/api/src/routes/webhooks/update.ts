import { Type } from 'typebox'
import { updateWebhook } from '../../operations/webhooks.ts'
import { route } from '../public-route.ts'
import { idParams, strictObject, webhookRecord } from '../schemas.ts'
import { webhookMembers } from './schemas.ts'

export const updateWebhookRoute = route({
  operation: 'webhooks.update',
  method: 'PATCH',
  path: '/webhooks/:id',
  summary: 'Change, disable or enable an endpoint',
  description:
    'Disabling lets the deliveries of the endpoint wait; enabling lets them go on. What is not named stays as it is.',
  auth: 'webhooks.manage',
  changes: true,
  needsSecretsStore: true,
  params: idParams,
  // Partial() keeps no options of its object: it must be closed again.
  body: Type.Partial(strictObject(webhookMembers), { additionalProperties: false }),
  answers: {
    200: { description: 'The changed endpoint.', schema: strictObject({ webhook: webhookRecord }) },
  },
  problems: ['webhook_url_not_allowed'],
  handle: (request, services) =>
    updateWebhook(services, request, { id: request.params.id, change: request.body }),
})
