import {
  keyIdPattern,
  keyNameLengthMax,
  keysPerOrganizationMax,
  keysPerUserMax,
  keyStatuses,
  overlapSecondsDefault,
  wideAllowlistText,
} from '@hosting/core/api-keys'
import { keyPositionOf, listApiKeys } from '@hosting/postgres/api-keys'
import { Type } from 'typebox'
import { change, read } from './define-route.ts'
import { HttpResponse } from '../response.ts'
import { anyText } from '../schemas/validation.ts'
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
import { listResponse, listQuery, partialPages, readPage } from './list.ts'
import {
  keyBody,
  keyChangeBody,
  keyKinds,
  keyParams,
  keyRecord,
  keyResponse,
} from '../schemas/api-key.ts'
import {
  component,
  described,
  externalIdFilter,
  oneTimeText,
  rotationBody,
  strictObject,
  uuid,
  wordOf,
} from '../schemas/common.ts'

const keyAndTokenResponse = component('KeyAndToken', {
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
  description: `Your personal keys. With \`apikeys.read\` at organization level, also organization keys and the personal keys of everyone in the organization. ${partialPages}`,
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
    external_id: Type.Optional(externalIdFilter('keys')),
    revoked: Type.Optional(
      wordOf(['false'], '`false`: only keys that are not revoked. Default: all keys.'),
    ),
    wide_ip_allowlist: Type.Optional(
      wordOf(
        ['true'],
        `\`true\`: only keys whose IP allowlist admits ${wideAllowlistText}, without revoked and expired ones.`,
      ),
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
  handle: ({ caller, query }, services) =>
    readPage(
      services,
      { list: { name: 'api-keys', toPosition, positionOf: keyPositionOf }, query },
      {
        read: (page) =>
          listApiKeys(
            services.database,
            {
              tenantId: caller.tenant.id,
              ownerId: seesAllKeys(caller) ? undefined : caller.user.id,
              kind: query.kind,
              status: query.status,
              namePart: query.q,
              userId: query.user_id,
              externalId: query.external_id,
              withoutRevoked: query.revoked === 'false',
              wideAllowlist: query.wide_ip_allowlist === 'true',
              violatesPolicy: query.violates_policy === 'true',
            },
            page,
          ),
        toItems: (rows) => rows.map((row) => toKeyRecord(row, services.config)),
      },
    ),
})

const positionPattern = new RegExp(`^\\d{14}\\.${keyIdPattern.replaceAll(/[$^]/g, '')}$`)

const toPosition = (text: string): string | undefined =>
  positionPattern.test(text) ? text : undefined

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
  problems: [
    'api_key_wider_than_caller',
    'api_key_policy_violation',
    'api_key_limit_reached',
    'conflict',
  ],
  handle: (request, services) => createKey(services, request, request.body),
  requireReplayAllowed: async ({ caller, body }) => requireMayCreate(caller, body.kind),
})

export const getKeyRoute = read({
  operationId: 'api-keys.get',
  withoutTurn: 'few records by id',
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
    'Anyone who has a token can revoke its key, regardless of its scopes: to sign out, or because the token has leaked. Of a workload key, only the exchanged token ends, whatever `descendants` is. Unknown, malformed and wrong tokens also get 204. An IPv4 address or IPv6 /64 may call this 10 times per minute. `Authorization` and cookies are ignored.',
  auth: 'none',
  forms: 'accepted',
  readForm: ({ token_type_hint: _hint, client_id: _client, descendants, ...fields }) => ({
    ...fields,
    ...(descendants !== undefined && {
      descendants: booleans[descendants as string] ?? descendants,
    }),
  }),
  body: strictObject({
    token: anyText('The full token of the key.'),
    descendants: Type.Optional(
      Type.Boolean({
        description: `${descendantsText} Default: false.`,
      }),
    ),
  }),
  returns: [
    { status: 204, description: 'If the token was valid, its key is revoked.' },
    {
      status: 200,
      description:
        'The response to a form (RFC 7009, section 2.2). If the token was valid, its key is revoked.',
    },
  ],
  problems: ['rate_limited'],
  async handle({ body, isForm, ip, requestId, work }, services) {
    await revokeByToken(services, { ...body, ip, requestId, work })
    return new HttpResponse(isForm ? 200 : 204, undefined)
  },
})

/** The values of a boolean in a form. */
const booleans: Readonly<Record<string, boolean>> = { true: true, false: false }

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
