import { directoryPageMax } from '@hosting/core/directory'
import { pageItemsDefault, type Cursors } from '@hosting/core/lists'
import { notFound } from '@hosting/core/problems'
import type { Database } from '@hosting/postgres/database'
import {
  findDirectoryRecord,
  isDirectoryPosition,
  listDirectoryRecords,
  type DirectoryKind,
  type DirectoryRecords,
} from '@hosting/postgres/directory'
import { Type, type Static, type TObject } from 'typebox'
import { read } from '../routes/define-route.ts'
import { listQuery, readPage, type ListKind } from '../routes/list.ts'
import { idParams, nullable, strictObject, text, timeText, uuid } from '../schemas/common.ts'
import { readRecords } from '../schemas/directory.ts'

const changesQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: directoryPageMax,
      default: pageItemsDefault,
      description: `The most items of a page, 1 to ${directoryPageMax.toLocaleString('en')}.`,
    }),
  ),
  cursor: Type.Optional({
    ...listQuery.cursor,
    description:
      'The `next_cursor` of the previous page. Without it, the list starts with the oldest change.',
  }),
  updated_since: Type.Optional(
    timeText(
      'Only records that changed at or after this time. With the latest `updated_at` that you have read, the list has everything that changed since, also what was in progress then.',
    ),
  ),
}

const ofTenantQuery = {
  ...changesQuery,
  tenant_id: Type.Optional(uuid('Only records of this organization.')),
}

type ChangesQuery = Static<TObject<typeof ofTenantQuery>>

/** The routes that read one kind of record: the list, and one by its id. */
const readRoutes = (
  kind: DirectoryKind,
  { member, noun, query }: { member: string; noun: string; query: Type.TProperties },
) => {
  const record = readRecords[kind]
  return [
    read({
      operationId: `internal.${kind}.list`,
      path: `/${kind}`,
      summary: `List the ${kind === 'tenants' ? 'organizations' : kind}`,
      description:
        'Oldest change first. A record that changes while you read the pages moves to the end, so none is missed. Deleted records are not listed.',
      auth: 'service',
      query: strictObject(query),
      returns: {
        status: 200,
        description: 'A page of records.',
        schema: strictObject({
          items: Type.Array(record, { description: 'The records, oldest change first.' }),
          next_cursor: nullable(text('The `cursor` of the next page. Null on the last page.')),
        }),
      },
      problems: [],
      handle: ({ query: given }, services) => readChanges(services, kind, given as ChangesQuery),
    }),
    read({
      operationId: `internal.${kind}.get`,
      withoutTurn: 'few records by id',
      path: `/${kind}/:id`,
      summary: `Get ${noun}`,
      description: 'Returns what was put, with the times of its creation and last change.',
      auth: 'service',
      params: idParams(noun.replace(/^an? /, '')),
      returns: {
        status: 200,
        description: 'The record.',
        schema: strictObject({ [member]: record }),
      },
      problems: [],
      async handle({ params }, { database }) {
        const found = await findDirectoryRecord(database, kind, params.id)
        if (!found) throw notFound()
        return { [member]: toRecord(found) }
      },
    }),
  ]
}

const readChanges = (
  { database, cursors }: { readonly database: Database; readonly cursors: Cursors },
  kind: DirectoryKind,
  { updated_since, tenant_id, ...query }: ChangesQuery,
) =>
  readPage(
    { cursors },
    { list: listOf(kind), query },
    {
      read: ({ after, take }) =>
        listDirectoryRecords(database, kind, {
          tenantId: tenant_id,
          since: updated_since === undefined ? undefined : new Date(updated_since),
          after,
          take,
        }),
      toItems: (rows) => rows.map(toRecord),
    },
  )

const listOf = (kind: DirectoryKind): ListKind<{ readonly position: string }, string> => ({
  name: `directory-${kind}`,
  toPosition: (position) => (isDirectoryPosition(position) ? position : undefined),
  positionOf: ({ position }) => position,
})

/** The record of the API. */
function toRecord({
  position: _position,
  createdAt,
  updatedAt,
  ...row
}: DirectoryRecords[DirectoryKind]) {
  const times = { created_at: createdAt, updated_at: updatedAt }
  if (!('tenantId' in row)) return { ...row, ...times }
  const { tenantId, ...ofTenant } = row
  if (!('hasPassword' in ofTenant)) return { ...ofTenant, tenant_id: tenantId, ...times }
  const { hasPassword, ...user } = ofTenant
  return { ...user, tenant_id: tenantId, has_password: hasPassword, ...times }
}

/** The routes with which the platform reads the directory. */
export const directoryReadRoutes = [
  ...readRoutes('tenants', { member: 'tenant', noun: 'an organization', query: changesQuery }),
  ...readRoutes('accounts', { member: 'account', noun: 'an account', query: ofTenantQuery }),
  ...readRoutes('users', { member: 'user', noun: 'a user', query: ofTenantQuery }),
]
