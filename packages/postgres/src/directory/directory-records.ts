import { uuidSource } from '@hosting/core/ids'
import type { Role } from '@hosting/core/scopes'
import { types, type RowOf } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, run, type Statement } from '../database/statement.ts'

const { bigint, bool, int, listOf, named, notNull, nullable, text, time, uuid } = types

const timeTypes = {
  createdAt: notNull(time, 'of a column that is never null'),
  /** In the order in which changes became visible: a later reader never finds an earlier time than before. */
  updatedAt: notNull(time, 'of a column that is never null'),
  /** The position of the record in lists: the time of the change in microseconds since 1970, `-` and the id. */
  position: notNull(text, 'of columns that are never null'),
}

const recordTypes = {
  tenants: { id: uuid, slug: text, name: text, edition: text, ...timeTypes },
  accounts: { id: uuid, tenantId: uuid, name: text, ...timeTypes },
  users: {
    id: uuid,
    tenantId: uuid,
    email: notNull(text, 'every person has one'),
    name: text,
    status: named<'active' | 'deactivated'>('user_status'),
    roles: notNull(listOf(named<Role>('text')), 'every person has roles'),
    /** The ids of the assigned accounts, in their order. */
    accounts: notNull(listOf(text), 'an array'),
    hasPassword: notNull(bool, 'IS NOT NULL'),
    ...timeTypes,
  },
}

/** The records of the directory that the platform can read, by kind. */
export type DirectoryRecords = {
  readonly [Kind in keyof typeof recordTypes]: RowOf<(typeof recordTypes)[Kind]>
}

export type DirectoryKind = keyof DirectoryRecords

/** Which records to list: the first `take` after `after`, oldest change first. */
export interface DirectoryQuery {
  /** Only for accounts and users. */
  readonly tenantId?: string | undefined
  /** The earliest change. */
  readonly since?: Date | undefined
  /** The `position` of the last record that the reader has. */
  readonly after?: string | undefined
  readonly take: number
}

/** Times have milliseconds, and are not rounded up: `updated_since` with such a time includes the record. */
const times = `date_trunc('milliseconds', r.created_at) AS created_at,
  date_trunc('milliseconds', r.updated_at) AS updated_at,
  (extract(epoch FROM r.updated_at) * 1000000)::bigint || '-' || r.id AS position`

const selects: Readonly<Record<DirectoryKind, string>> = {
  tenants: `SELECT r.id, r.slug, r.name, r.edition, ${times} FROM tenants r WHERE r.deleted_at IS NULL`,
  accounts: `SELECT r.id, r.tenant_id, r.name, ${times} FROM accounts r WHERE true`,
  users: `SELECT r.id, r.tenant_id, r.email, r.name, r.status, r.roles::text[] AS roles,
  ARRAY(SELECT a.account_id::text FROM user_accounts a WHERE a.user_id = r.id ORDER BY a.account_id) AS accounts,
  r.password_hash IS NOT NULL AS has_password, ${times}
  FROM users r WHERE r.kind = 'human' AND r.deleted_at IS NULL`,
}

const defineFind = (kind: DirectoryKind): Statement =>
  defineStatement({
    name: `find-directory-${kind}`,
    takes: { id: uuid },
    gives: recordTypes[kind],
    sql: `${selects[kind]} AND r.id = :id`,
  })

const finds: Readonly<Record<DirectoryKind, Statement>> = {
  tenants: defineFind('tenants'),
  accounts: defineFind('accounts'),
  users: defineFind('users'),
}

/** Finds a record that is not deleted, by its id. */
export async function findDirectoryRecord<Kind extends DirectoryKind>(
  { pool }: Database,
  kind: Kind,
  id: string,
): Promise<DirectoryRecords[Kind] | undefined> {
  const [record] = await run(pool, finds[kind], { id })
  return record as DirectoryRecords[Kind] | undefined
}

/** Returns records from a position on, oldest change first. It reads an index in its order, so its cost is that of a page. */
const defineList = (kind: DirectoryKind): Statement =>
  defineStatement({
    name: `list-directory-${kind}`,
    takes: {
      ...(kind !== 'tenants' && { tenantId: nullable(uuid) }),
      since: nullable(time),
      /** The position of the last record that the reader has. */
      afterMicros: nullable(bigint),
      afterId: nullable(uuid),
      take: int,
    },
    gives: recordTypes[kind],
    sql: `${selects[kind]} ${kind === 'tenants' ? '' : 'AND (:tenantId IS NULL OR r.tenant_id = :tenantId)'}
      AND (:since IS NULL OR r.updated_at >= :since)
      AND (:afterId IS NULL OR (r.updated_at, r.id) >
        ('epoch'::timestamptz + :afterMicros * interval '1 microsecond', :afterId))
      ORDER BY r.updated_at, r.id LIMIT :take`,
  })

/** The statements of {@link listDirectoryRecords}. */
export const directoryLists: Readonly<Record<DirectoryKind, Statement>> = {
  tenants: defineList('tenants'),
  accounts: defineList('accounts'),
  users: defineList('users'),
}

/** The values of a statement of {@link directoryLists}. */
export function toListValues({ tenantId, since, after, take }: DirectoryQuery) {
  const [afterMicros, afterId] = after === undefined ? [null, null] : splitPosition(after)
  return { tenantId: tenantId ?? null, since: since ?? null, afterMicros, afterId, take }
}

/**
 * Lists records that are not deleted. A record that changes moves to the end. A change that commits after a list was
 * read is later than everything in that list.
 */
export async function listDirectoryRecords<Kind extends DirectoryKind>(
  { pool }: Database,
  kind: Kind,
  query: DirectoryQuery,
): Promise<DirectoryRecords[Kind][]> {
  return (await run(pool, directoryLists[kind], toListValues(query))) as DirectoryRecords[Kind][]
}

/** Whether a text is a `position`. */
export const isDirectoryPosition = (given: string): boolean => positionPattern.test(given)

const positionPattern = new RegExp(`^\\d{1,17}-${uuidSource}$`)

function splitPosition(position: string): [micros: string, id: string] {
  const end = position.indexOf('-')
  return [position.slice(0, end), position.slice(end + 1)]
}
