import { listApiKeys, type ApiKeyPlace, type ApiKeyRow } from '@hosting/postgres'
import { Type } from 'typebox'
import { seesAllKeys } from '../../use-cases/key-access.ts'
import { toKeyRecord } from '../../records/api-key.ts'
import { listAnswer, listQuery, readPage } from '../list.ts'
import { route } from '../public-route.ts'
import { keyRecord, strictObject, uuid } from '../schemas.ts'

const kinds = ['personal', 'organization'] as const
const statuses = ['active', 'expired', 'revoked'] as const

export const listKeysRoute = route({
  operation: 'api-keys.list',
  method: 'GET',
  path: '/api-keys',
  summary: 'List keys',
  description:
    'Your personal keys. With `apikeys.read` at organization level, also organization keys and the personal keys of everyone in the organization.',
  auth: 'apikeys.read',
  query: strictObject({
    ...listQuery,
    kind: Type.Optional(Type.Unsafe<(typeof kinds)[number]>({ type: 'string', enum: [...kinds] })),
    status: Type.Optional(
      Type.Unsafe<(typeof statuses)[number]>({ type: 'string', enum: [...statuses] }),
    ),
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        pattern: '^[^\\u0000]*$',
        description: 'Part of the name, case-insensitive.',
      }),
    ),
    user_id: Type.Optional(uuid),
  }),
  answers: { 200: { description: 'A page of keys.', schema: listAnswer(keyRecord) } },
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
