import {
  keyIdPattern,
  keyNameLengthMax,
  keysPerOrganizationMax,
  keysPerUserMax,
  keyStatuses,
  overlapSecondsDefault,
} from '@hosting/core/api-keys'
import { type ApiKeyPosition, type ApiKeyRow, listApiKeys } from '@hosting/postgres/api-keys'
import { Type } from 'typebox'
import { change, read } from '../http/define-route.ts'
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
import {
  keyBody,
  keyChangeBody,
  keyKinds,
  keyParams,
  keyRecord,
  keyResponse,
} from '../schemas/api-key.ts'
import {
  described,
  oneTimeText,
  rotationBody,
  strictObject,
  uuid,
  wordOf,
} from '../schemas/common.ts'

const keyAndTokenResponse = strictObject({
  key: described(keyRecord, 'The key.'),
  token: oneTimeText(
    'The full token, `hctl_<key id>_<secret>`. It is returned only once, so store it now.',
  ),
})

/** Description of the `descendants` member. */
const descendantsText =
  'Whether to also revoke every key that was created with it, directly or indirectly, and every secret that one of them created by rotating another key. They end within 10 seconds.'

export const listKeysRoute = read({
  operationId: 'api-keys.list',
  path: '/api-keys',
  summary: 'List keys',
  description:
    'Your personal keys. With `apikeys.read` at organization level, also organization keys and the personal keys of everyone in the organization.',
  auth: 'apikeys.read',
  query: strictObject({
    ...listQuery,
    kind: Type.Optional(wordOf(keyKinds, 'Only keys of this kind.')),
    status: Type.Optional(wordOf(keyStatuses, 'Only keys with this status.')),
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: keyNameLengthMax,
        pattern: '^[^\\u0000]*$',
        description: 'Only keys whose name contains this text, case-insensitive.',
      }),
    ),
    user_id: Type.Optional(uuid('Only keys that act as this user.')),
    revoked: Type.Optional(
      wordOf(['false'], '`false`: only keys that are not revoked. Default: all keys.'),
    ),
    violates_policy: Type.Optional(
      wordOf(
        ['true'],
        '`true`: only keys that violate the key policy of the organization, without revoked and expired ones.',
      ),
    ),
  }),
  returns: { status: 200, description: 'A page of keys.', schema: listResponse(keyRecord) },
  problems: [],
  handle: ({ caller, query }, { database, config }) =>
    readPage(
      {
        name: 'api-keys',
        toPosition,
        positionOf: ({ createdAt, id }: ApiKeyRow) => `${createdAt.getTime()}.${id}`,
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
        toItems: (rows) => rows.map((row) => toKeyRecord(row, config)),
      },
    ),
})

const keyId = new RegExp(keyIdPattern)

/** Key ids are random, so a cursor holds a time and an id. */
function toPosition(text: string): ApiKeyPosition | undefined {
  const [, ms, id = ''] = /^(\d{1,14})\.(\w+)$/.exec(text) ?? []
  return ms && keyId.test(id) ? { createdAt: new Date(Number(ms)), id } : undefined
}

export const createKeyRoute = change({
  operationId: 'api-keys.create',
  method: 'POST',
  path: '/api-keys',
  summary: 'Create a key',
  description: `A personal key acts as its user. An organization key acts as a service user with the role admin; creating one needs \`apikeys.manage\`. A user can have ${keysPerUserMax} keys that are neither revoked nor expired, and an organization ${keysPerOrganizationMax}.`,
  auth: 'apikeys.create',
  confirmed: true,
  refusesImpersonation: true,
  body: keyBody,
  returns: {
    status: 201,
    description: 'The key and its token. The token of a workload key is null.',
    schema: keyAndTokenResponse,
  },
  problems: ['api_key_wider_than_caller', 'api_key_policy_violation', 'api_key_limit_reached'],
  handle: (request, services) => createKey(services, request, request.body),
  requireReplayAllowed: async ({ caller, body }) => requireMayCreate(caller, body.kind),
})

export const getKeyRoute = read({
  operationId: 'api-keys.get',
  path: '/api-keys/:id',
  summary: 'Get a key',
  description:
    'Returns a key by its key id, without its secret. A key that you may not see is not found.',
  auth: 'apikeys.read',
  params: keyParams,
  returns: { status: 200, description: 'The key.', schema: keyResponse },
  problems: [],
  async handle({ caller, params }, { database, config }) {
    return { key: toKeyRecord(await getVisibleKey(database.prisma, caller, params.id), config) }
  },
})

export const updateKeyRoute = change({
  operationId: 'api-keys.update',
  method: 'PATCH',
  path: '/api-keys/:id',
  summary: 'Update a key',
  description:
    'Allowed for the owner of a personal key, and with `apikeys.manage` for organization keys. The expiry cannot be changed. A disabled key is refused until it is enabled again. With a session, widening or enabling a key needs a confirmation within the last 5 minutes.',
  auth: 'apikeys.create',
  params: keyParams,
  body: keyChangeBody,
  returns: { status: 200, description: 'The updated key.', schema: keyResponse },
  problems: [
    'api_key_wider_than_caller',
    'api_key_policy_violation',
    'api_key_not_allowed',
    'reauthentication_required',
    'conflict',
  ],
  handle: (request, services) =>
    updateKey(services, request, { id: request.params.id, change: request.body }),
  requireReplayAllowed: requireStillManages,
})

export const revokeKeyRoute = change({
  operationId: 'api-keys.revoke',
  method: 'DELETE',
  path: '/api-keys/:id',
  summary: 'Revoke a key',
  description:
    'Immediate and permanent. Allowed for the owner of a personal key, and with `apikeys.manage` for any key. Revoking a revoked key returns 204.',
  auth: 'apikeys.create',
  params: keyParams,
  query: strictObject({
    descendants: Type.Optional(wordOf(['true', 'false'], `${descendantsText} Default: \`false\`.`)),
  }),
  returns: { status: 204, description: 'The key is revoked.' },
  problems: [],
  handle: (request, services) =>
    revokeKey(services, request, {
      id: request.params.id,
      descendants: request.query.descendants === 'true',
    }),
  requireReplayAllowed: requireMayStillRevoke,
})

export const rotateKeyRoute = change({
  operationId: 'api-keys.rotate',
  method: 'POST',
  path: '/api-keys/:id/rotate',
  summary: 'Rotate a key',
  description:
    'Creates a new secret. The id, scopes and settings stay the same. Only its owner can rotate a personal key.',
  auth: 'apikeys.create',
  confirmed: true,
  refusesImpersonation: true,
  params: keyParams,
  body: rotationBody,
  returns: { status: 200, description: 'The key and its new token.', schema: keyAndTokenResponse },
  problems: ['api_key_wider_than_caller', 'api_key_policy_violation', 'conflict'],
  handle: (request, services) =>
    rotateKey(services, request, {
      id: request.params.id,
      overlapSeconds: request.body?.grace_seconds ?? overlapSecondsDefault,
    }),
  requireReplayAllowed: requireStillManages,
})

const revokeByTokenRoute = change({
  operationId: 'auth.revoke',
  method: 'POST',
  path: '/auth/revoke',
  summary: 'Revoke the key of a token',
  description:
    'Anyone who has a token can revoke its key, regardless of its scopes: to sign out, or because the token has leaked. Unknown, malformed and wrong tokens also get 204. An IPv4 address or IPv6 /64 may call this 10 times per minute. `Authorization` and cookies are ignored.',
  auth: 'none',
  body: strictObject({
    token: anyText('The full token of the key.'),
    descendants: Type.Optional(
      Type.Boolean({
        description: `${descendantsText} Default: false.`,
      }),
    ),
  }),
  returns: { status: 204, description: 'If the token was valid, its key is revoked.' },
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
