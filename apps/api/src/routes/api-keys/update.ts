import { Type } from 'typebox'
import { requireStillManages, updateKey } from '../../use-cases/api-keys.ts'
import { route } from '../public-route.ts'
import { strictObject } from '../schemas.ts'
import { keyAllowlist, keyAnswer, keyName, keyParams, keyRateLimit, keyScopes } from './schemas.ts'

export const updateKeyRoute = route({
  operation: 'api-keys.update',
  method: 'PATCH',
  path: '/api-keys/:id',
  summary: 'Update a key',
  description:
    'Allowed for the owner of a personal key, and with `apikeys.manage` for organization keys. The expiry cannot be changed. With a session, widening a key needs a confirmation within the last 5 minutes.',
  auth: 'apikeys.create',
  changes: true,
  params: keyParams,
  body: strictObject({
    name: Type.Optional(keyName),
    scopes: Type.Optional(keyScopes),
    ip_allowlist: Type.Optional(keyAllowlist),
    rate_limit_per_minute: Type.Optional(keyRateLimit),
  }),
  answers: { 200: { description: 'The updated key.', schema: keyAnswer } },
  problems: ['api_key_wider_than_caller', 'reauthentication_required', 'conflict'],
  handle: (request, services) =>
    updateKey(services, request, { id: request.params.id, change: request.body }),
  checkReplay: requireStillManages,
})
