import { change } from './define-route.ts'
import { keyParams } from '../schemas/api-key.ts'
import { requireStillManages } from '../use-cases/api-keys.ts'
import { endPreviousSecrets } from '../use-cases/previous-secrets.ts'

export const endPreviousSecretsRoute = change({
  operationId: 'api-keys.end-previous-secrets',
  method: 'DELETE',
  path: '/api-keys/:id/previous-secrets',
  summary: 'End the old secrets of a key',
  description:
    'Ends the overlap periods of earlier rotations: from the next request on, only the current secret is valid. Allowed for the owner of a personal key, and with `apikeys.manage` for organization keys. Without old secrets, and for a workload key, nothing changes.',
  auth: 'apikeys.create',
  params: keyParams,
  returns: { status: 204, description: 'Only the current secret is valid.' },
  problems: [],
  handle: (request, services) => endPreviousSecrets(services, request, request.params.id),
  requireReplayAllowed: requireStillManages,
})
