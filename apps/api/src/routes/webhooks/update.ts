import { Type } from 'typebox'
import { updateWebhook } from '../../use-cases/webhooks.ts'
import { route } from '../public-route.ts'
import { idParams, strictObject, webhookRecord } from '../schemas.ts'
import { webhookMembers } from './schemas.ts'

export const updateWebhookRoute = route({
  operation: 'webhooks.update',
  method: 'PATCH',
  path: '/webhooks/:id',
  summary: 'Update, disable or enable an endpoint',
  description:
    'Disabling an endpoint pauses its deliveries; enabling resumes them. Omitted members stay unchanged.',
  auth: 'webhooks.manage',
  changes: true,
  needsSecretsStore: true,
  params: idParams,
  // Partial() drops the options of its object, so they are repeated.
  body: Type.Partial(strictObject(webhookMembers), { additionalProperties: false }),
  answers: {
    200: { description: 'The updated endpoint.', schema: strictObject({ webhook: webhookRecord }) },
  },
  problems: ['webhook_url_not_allowed'],
  handle: (request, services) =>
    updateWebhook(services, request, { id: request.params.id, change: request.body }),
})
