import {
  allowlistMax,
  keyNameLengthMax,
  keyScopesMax,
  keyStatuses,
  rateLimitDefault,
  type KeyStatus,
} from '@hosting/core'
import { type ApiKeyPlace, type ApiKeyRow, listApiKeys } from '@hosting/postgres'
import { Type } from 'typebox'
import { anyText } from '../http/validation.ts'
import { toKeyRecord } from '../records/api-key.ts'
import {
  createKey,
  requireMayCreate,
  requireStillManages,
  rotateKey,
  updateKey,
} from '../use-cases/api-keys.ts'
import { getVisibleKey, seesAllKeys } from '../use-cases/key-access.ts'
import { requireMayStillRevoke, revokeKey } from '../use-cases/key-revocation.ts'
import { revokeByToken } from '../use-cases/revoke-by-token.ts'
import { listResponse, listQuery, readPage } from './list.ts'
import { openRoute, route } from './public-route.ts'
import {
  keyAccounts,
  keyParams,
  keyRecord,
  nullable,
  oneTimeText,
  rotationBody,
  strictObject,
  uuid,
} from './schemas.ts'

const keyResponse = strictObject({ key: keyRecord })

const keyAndTokenResponse = strictObject({
  key: keyRecord,
  token: oneTimeText('The full token. It is returned only once.'),
})

const keyName = Type.String({ minLength: 1, maxLength: keyNameLengthMax, format: 'visible-text' })

const keyScopes = Type.Array(Type.String({ format: 'scope' }), {
  minItems: 1,
  maxItems: keyScopesMax,
  description: '`<resource>:read`, `<resource>:write`, `*:read` or `*`.',
})

const keyAllowlist = nullable(
  Type.Array(Type.String({ format: 'ip-network' }), {
    minItems: 1,
    maxItems: allowlistMax,
    description:
      'IP addresses or CIDR ranges that may use the key, without host bits; null for all.',
  }),
)

const keyRateLimit = Type.Integer({ minimum: 1, maximum: rateLimitDefault })

const kinds = ['personal', 'organization'] as const

export const listKeysRoute = route({
  operationId: 'api-keys.list',
  method: 'GET',
  path: '/api-keys',
  summary: 'List keys',
  description:
    'Your personal keys. With `apikeys.read` at organization level, also organization keys and the personal keys of everyone in the organization.',
  auth: 'apikeys.read',
  query: strictObject({
    ...listQuery,
    kind: Type.Optional(Type.Unsafe<(typeof kinds)[number]>({ type: 'string', enum: [...kinds] })),
    status: Type.Optional(Type.Unsafe<KeyStatus>({ type: 'string', enum: [...keyStatuses] })),
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: keyNameLengthMax,
        pattern: '^[^\\u0000]*$',
        description: 'Part of the name, case-insensitive.',
      }),
    ),
    user_id: Type.Optional(uuid),
    revoked: Type.Optional(
      Type.Unsafe<'false'>({
        type: 'string',
        enum: ['false'],
        description: 'Only keys that are not revoked.',
      }),
    ),
    violates_policy: Type.Optional(
      Type.Unsafe<'true'>({
        type: 'string',
        enum: ['true'],
        description:
          'Only keys that violate the key policy of the organization, without revoked and expired ones.',
      }),
    ),
  }),
  responses: { 200: { description: 'A page of keys.', schema: listResponse(keyRecord) } },
  problems: [],
  handle: ({ caller, query }, { database }) =>
    readPage(
      {
        name: 'api-keys',
        toPlace,
        placeOf: ({ createdAt, id }: ApiKeyRow) => `${createdAt.getTime()}.${id}`,
      },
      query,
      {
        read: (page) =>
          listApiKeys(
            database.prisma,
            {
              tenantId: caller.tenant.id,
              ownerId: seesAllKeys(caller) ? undefined : caller.user.id,
              kind: query.kind,
              status: query.status,
              namePart: query.q,
              userId: query.user_id,
              withoutRevoked: query.revoked === 'false',
              violatesPolicy: query.violates_policy === 'true',
            },
            page,
          ),
        toItems: (rows) => rows.map((row) => toKeyRecord(row)),
      },
    ),
})

/** Key ids are random, so a cursor holds a time and an id. */
function toPlace(text: string): ApiKeyPlace | undefined {
  const [, time, id] = /^(\d{1,14})\.([a-z2-7]{12})$/.exec(text) ?? []
  return time && id ? { createdAt: new Date(Number(time)), id } : undefined
}

export const createKeyRoute = route({
  operationId: 'api-keys.create',
  method: 'POST',
  path: '/api-keys',
  summary: 'Create a key',
  description:
    'A personal key acts as its user. An organization key acts as a service user with the role admin; creating one needs `apikeys.manage`. A user can have 100 keys that are neither revoked nor expired, and an organization 500.',
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
    accounts: Type.Optional(keyAccounts),
    rate_limit_per_minute: Type.Optional(keyRateLimit),
  }),
  responses: { 201: { description: 'The key and its token.', schema: keyAndTokenResponse } },
  problems: ['api_key_wider_than_caller', 'api_key_policy_violation', 'api_key_limit_reached'],
  handle: (request, services) => createKey(services, request, request.body),
  checkReplay: async ({ caller, body }) => requireMayCreate(caller, body.kind),
})

export const getKeyRoute = route({
  operationId: 'api-keys.get',
  method: 'GET',
  path: '/api-keys/:id',
  summary: 'Get a key',
  auth: 'apikeys.read',
  params: keyParams,
  responses: { 200: { description: 'The key.', schema: keyResponse } },
  problems: [],
  async handle({ caller, params }, { database }) {
    return { key: toKeyRecord(await getVisibleKey(database.prisma, caller, params.id)) }
  },
})

export const updateKeyRoute = route({
  operationId: 'api-keys.update',
  method: 'PATCH',
  path: '/api-keys/:id',
  summary: 'Update a key',
  description:
    'Allowed for the owner of a personal key, and with `apikeys.manage` for organization keys. The expiry cannot be changed. A disabled key is refused until it is enabled again. With a session, widening or enabling a key needs a confirmation within the last 5 minutes.',
  auth: 'apikeys.create',
  changes: true,
  params: keyParams,
  body: strictObject({
    name: Type.Optional(keyName),
    scopes: Type.Optional(keyScopes),
    ip_allowlist: Type.Optional(keyAllowlist),
    accounts: Type.Optional(keyAccounts),
    enabled: Type.Optional(Type.Boolean()),
    rate_limit_per_minute: Type.Optional(keyRateLimit),
  }),
  responses: { 200: { description: 'The updated key.', schema: keyResponse } },
  problems: [
    'api_key_wider_than_caller',
    'api_key_policy_violation',
    'reauthentication_required',
    'conflict',
  ],
  handle: (request, services) =>
    updateKey(services, request, { id: request.params.id, change: request.body }),
  checkReplay: requireStillManages,
})

export const revokeKeyRoute = route({
  operationId: 'api-keys.revoke',
  method: 'DELETE',
  path: '/api-keys/:id',
  summary: 'Revoke a key',
  description:
    'Immediate and permanent. Allowed for the owner of a personal key, and with `apikeys.manage` for any key. Revoking a revoked key returns 204.',
  auth: 'apikeys.create',
  changes: true,
  params: keyParams,
  query: strictObject({
    descendants: Type.Optional(
      Type.Unsafe<'true' | 'false'>({
        type: 'string',
        enum: ['true', 'false'],
        description:
          'Whether to also revoke every key that was created with it, directly or indirectly.',
      }),
    ),
  }),
  responses: { 204: { description: 'The key is revoked.' } },
  problems: [],
  handle: (request, services) =>
    revokeKey(services, request, {
      id: request.params.id,
      descendants: request.query.descendants === 'true',
    }),
  checkReplay: requireMayStillRevoke,
})

export const rotateKeyRoute = route({
  operationId: 'api-keys.rotate',
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
  responses: { 200: { description: 'The key and its new token.', schema: keyAndTokenResponse } },
  problems: ['api_key_wider_than_caller', 'api_key_policy_violation', 'conflict'],
  handle: (request, services) =>
    rotateKey(services, request, {
      id: request.params.id,
      graceSeconds: request.body?.grace_seconds ?? 0,
    }),
  checkReplay: requireStillManages,
})

const revokeByTokenRoute = openRoute({
  operationId: 'auth.revoke',
  method: 'POST',
  path: '/auth/revoke',
  summary: 'Revoke the key of a token',
  description:
    'Anyone who has a token can revoke its key, regardless of its scopes: to sign out, or because the token has leaked. Unknown, malformed and wrong tokens also get 204. An IPv4 address or IPv6 /64 may call this 10 times per minute. `Authorization` and cookies are ignored.',
  auth: 'none',
  changes: true,
  body: strictObject({
    token: anyText(),
    descendants: Type.Optional(
      Type.Boolean({
        description:
          'Whether to also revoke every key that was created with it, directly or indirectly.',
      }),
    ),
  }),
  responses: { 204: { description: 'If the token was valid, its key is revoked.' } },
  problems: ['rate_limited'],
  handle: ({ body, ip, requestId, work }, services) =>
    revokeByToken(services, { ...body, ip, requestId, work }),
})

/** API keys. */
export const apiKeyRoutes = [
  listKeysRoute,
  createKeyRoute,
  getKeyRoute,
  updateKeyRoute,
  revokeKeyRoute,
  rotateKeyRoute,
  revokeByTokenRoute,
]
