import { requireMayStillRevoke, revokeKey } from '../../use-cases/api-keys.ts'
import { route } from '../public-route.ts'
import { keyParams } from './schemas.ts'

export const revokeKeyRoute = route({
  operation: 'api-keys.revoke',
  method: 'DELETE',
  path: '/api-keys/:id',
  summary: 'Revoke a key',
  description:
    'Immediate and permanent. Allowed for the owner of a personal key, and with `apikeys.manage` for any key. Revoking a revoked key returns 204.',
  auth: 'apikeys.create',
  changes: true,
  params: keyParams,
  answers: { 204: { description: 'The key is revoked.' } },
  problems: [],
  handle: (request, services) => revokeKey(services, request, request.params.id),
  checkReplay: requireMayStillRevoke,
})
