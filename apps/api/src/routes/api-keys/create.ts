import { Type } from 'typebox'
import { createKey, requireMayCreate } from '../../use-cases/api-keys.ts'
import { route } from '../public-route.ts'
import { nullable, strictObject } from '../schemas.ts'
import { keyAllowlist, keyAndTokenAnswer, keyName, keyRateLimit, keyScopes } from './schemas.ts'

export const createKeyRoute = route({
  operation: 'api-keys.create',
  method: 'POST',
  path: '/api-keys',
  summary: 'Create a key',
  description:
    'A personal key acts as its user. An organization key acts as a service user with the role admin; creating one needs `apikeys.manage`.',
  auth: 'apikeys.create',
  confirmed: true,
  refusesImpersonation: true,
  changes: true,
  body: strictObject({
    name: keyName,
    scopes: keyScopes,
    kind: Type.Optional(
      Type.Unsafe<'personal' | 'organization'>({
        type: 'string',
        enum: ['personal', 'organization'],
      }),
    ),
    expires_at: Type.Optional(nullable(Type.String({ format: 'date-time' }))),
    ip_allowlist: Type.Optional(keyAllowlist),
    rate_limit_per_minute: Type.Optional(keyRateLimit),
  }),
  answers: { 201: { description: 'The key and its token.', schema: keyAndTokenAnswer } },
  problems: ['api_key_wider_than_caller'],
  handle: (request, services) => createKey(services, request, request.body),
  checkReplay: async ({ caller, body }) => requireMayCreate(caller, body.kind),
})
