import { rotateSecret } from '../../use-cases/webhook-secrets.ts'
import { rotationBody } from '../api-keys/schemas.ts'
import { route } from '../public-route.ts'
import { idParams, webhookAndSecretAnswer } from '../schemas.ts'

export const rotateSecretRoute = route({
  operation: 'webhooks.rotate-secret',
  method: 'POST',
  path: '/webhooks/:id/rotate-secret',
  summary: 'Rotate the signing secret of an endpoint',
  description:
    'During the overlap period every delivery carries a signature for each valid secret.',
  auth: 'webhooks.manage',
  confirmed: true,
  refusesImpersonation: true,
  changes: true,
  needsSecretsStore: true,
  params: idParams,
  body: rotationBody,
  answers: {
    200: {
      description: 'The endpoint and its new secret, which is returned only once.',
      schema: webhookAndSecretAnswer,
    },
  },
  problems: ['conflict'],
  handle: (request, services) =>
    rotateSecret(services, request, {
      id: request.params.id,
      graceSeconds: request.body?.grace_seconds ?? 0,
    }),
})
