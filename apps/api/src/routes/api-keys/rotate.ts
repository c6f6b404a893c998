import { requireStillManages, rotateKey } from '../../use-cases/api-keys.ts'
import { route } from '../public-route.ts'
import { keyAndTokenAnswer, keyParams, rotationBody } from './schemas.ts'

export const rotateKeyRoute = route({
  operation: 'api-keys.rotate',
  method: 'POST',
  path: '/api-keys/:id/rotate',
  summary: 'Rotate a key',
  description:
    'Creates a new secret. The id, scopes and settings stay the same. Only its owner can rotate a personal key.',
  auth: 'apikeys.create',
  confirmed: true,
  refusesImpersonation: true,
  changes: true,
  params: keyParams,
  body: rotationBody,
  answers: { 200: { description: 'The key and its new token.', schema: keyAndTokenAnswer } },
  problems: ['api_key_wider_than_caller', 'conflict'],
  handle: (request, services) =>
    rotateKey(services, request, {
      id: request.params.id,
      graceSeconds: request.body?.grace_seconds ?? 0,
    }),
  checkReplay: requireStillManages,
})
