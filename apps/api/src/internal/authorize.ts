import { permissions } from '@hosting/core'
import { Type } from 'typebox'
import { authorize } from '../use-cases/authorize.ts'
import { nullable, strictObject, uuid } from '../routes/schemas.ts'
import { internalRoute } from './internal-route.ts'

const text = Type.String()

export const authorizeRoute = internalRoute({
  operationId: 'internal.authorize',
  method: 'POST',
  path: '/authorize',
  summary: 'Authorize a request that another service of the platform received',
  description:
    'Returns the caller, or exactly the 401, 403 or 429 problem that this API would return. Costs the key one request, like any other call.',
  auth: 'service',
  body: strictObject({
    authorization: nullable(
      Type.String({
        description: 'The value of the `Authorization` header; null if there was none.',
      }),
    ),
    ip: Type.String({ format: 'ip-address' }),
    method: Type.String({ pattern: '^[A-Z]{1,20}$' }),
    permission: Type.String({ enum: [...permissions.keys()] }),
    account_id: Type.Optional(nullable(uuid)),
  }),
  responses: {
    200: {
      description: 'The request is permitted.',
      schema: strictObject({
        tenant: strictObject({ id: uuid, slug: text, name: text }),
        user: strictObject({ id: uuid, name: text, email: nullable(text), kind: text }),
        roles: Type.Array(text),
        accounts: Type.Unsafe<'all' | string[]>({
          anyOf: [{ const: 'all' }, { type: 'array', items: uuid }],
        }),
        key: strictObject({ id: text, name: text, kind: text, scopes: Type.Array(text) }),
        rate_limit: strictObject({
          limit: Type.Integer(),
          remaining: Type.Integer(),
          reset_seconds: Type.Integer(),
        }),
      }),
    },
  },
  problems: [
    'invalid_api_key',
    'api_key_ip_denied',
    'rate_limited',
    'api_key_not_allowed',
    'insufficient_scope',
    'permission_denied',
  ],
  handle: ({ body, requestId, setHeaders }, services) =>
    authorize(services, { ...body, requestId, setHeaders }),
})
