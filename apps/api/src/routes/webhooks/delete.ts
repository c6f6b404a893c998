import { deleteWebhook } from '../../use-cases/webhooks.ts'
import { route } from '../public-route.ts'
import { idParams } from '../schemas.ts'

export const deleteWebhookRoute = route({
  operation: 'webhooks.delete',
  method: 'DELETE',
  path: '/webhooks/:id',
  summary: 'Delete an endpoint',
  description: 'Its waiting deliveries become `dead`. Its history stays readable for 30 days.',
  auth: 'webhooks.manage',
  changes: true,
  needsSecretsStore: true,
  params: idParams,
  answers: { 204: { description: 'The endpoint is deleted.' } },
  problems: [],
  handle: (request) => deleteWebhook(request, request.params.id),
})
