import { createWebhook } from '../../use-cases/webhooks.ts'
import { route } from '../public-route.ts'
import { strictObject, webhookAndSecretAnswer } from '../schemas.ts'
import { webhookMembers } from './schemas.ts'

export const createWebhookRoute = route({
  operation: 'webhooks.create',
  method: 'POST',
  path: '/webhooks',
  summary: 'Create an endpoint',
  auth: 'webhooks.manage',
  changes: true,
  needsSecretsStore: true,
  body: strictObject(webhookMembers),
  answers: {
    201: {
      description: 'The endpoint and its signing secret, which is returned only once.',
      schema: webhookAndSecretAnswer,
    },
  },
  problems: ['webhook_url_not_allowed', 'webhook_limit_reached'],
  handle: (request, services) => createWebhook(services, request, request.body),
})
