import { currentTime } from '@hosting/core/clock'
import { removePreviousSecrets } from '@hosting/postgres/api-keys'
import { change } from './define-route.ts'
import { keyParams } from '../schemas/api-key.ts'
import { requireStillManages } from '../use-cases/api-keys.ts'
import { recordChange } from '../use-cases/audit.ts'
import { lockVisibleKey, requireManages } from '../use-cases/key-access.ts'
import { announceKeyChange } from '../use-cases/key-changes.ts'

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
  async handle(request, services) {
    const { caller, params, work } = request
    const key = await lockVisibleKey(request, params.id)
    requireManages(caller, key)
    // A workload key's tokens do not come from rotations.
    const ended = key.workload ? 0 : await removePreviousSecrets(work.tx, key.id, currentTime())
    if (ended === 0) return
    await announceKeyChange(services, work, { keyId: key.id })
    await recordChange(request, {
      action: 'api_key.end_token',
      target: { type: 'api_key', id: key.id },
      details: { previous_secrets: ended },
    })
  },
  requireReplayAllowed: requireStillManages,
})
