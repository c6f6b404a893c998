import type { Role } from '@hosting/core/scopes'
import type { Database } from '../database/database.ts'

/** When a record of the directory was created and last changed. */
interface DirectoryTimes {
  readonly created_at: Date
  /** In the order in which changes became visible: a later reader never finds an earlier time than before. */
  readonly updated_at: Date
  /** The place of the record in lists: the time of the change in microseconds since 1970, `-` and the id. */
  readonly position: string
}

/** The records of the directory that the platform can read, by kind. */
export interface DirectoryRecords {
  readonly tenants: DirectoryTimes & {
    readonly id: string
    readonly slug: string
    readonly name: string
    readonly edition: string
  }
  readonly accounts: DirectoryTimes & {
    readonly id: string
    readonly tenant_id: string
    readonly name: string
  }
  readonly users: DirectoryTimes & {
    readonly id: string
    readonly tenant_id: string
    readonly email: string
    readonly name: string
    readonly status: 'active' | 'deactivated'
    readonly roles: Role[]
    /** The ids of the assigned accounts, in their order. */
    readonly accounts: string[]
    readonly has_password: boolean
  }
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

/** Finds a record that is not deleted, by its id. */
export async function findDirectoryRecord<Kind extends DirectoryKind>(
  { pool }: Database,
  kind: Kind,
  id: string,
): Promise<DirectoryRecords[Kind] | undefined> {
  const { rows } = await pool.query<DirectoryRecords[Kind]>(`${selects[kind]} AND r.id = $1`, [id])
  return rows[0]
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
  const { text, values } = directoryListStatement(kind, query)
  return (await pool.query<DirectoryRecords[Kind]>(text, values)).rows
}

/** The statement of {@link listDirectoryRecords}. It reads an index in its order, so its cost is that of a page. */
export function directoryListStatement(
  kind: DirectoryKind,
  { tenantId, since, after, take }: DirectoryQuery,
): { readonly text: string; readonly values: unknown[] } {
  const values: unknown[] = [take]
  const put = (value: unknown): string => `$${values.push(value)}`
  const conditions = [
    ...(tenantId === undefined ? [] : [`r.tenant_id = ${put(tenantId)}`]),
    ...(since === undefined ? [] : [`r.updated_at >= ${put(since)}`]),
  ]
  if (after !== undefined) {
    const [micros, id] = splitPosition(after)
    const time = `'epoch'::timestamptz + ${put(micros)}::bigint * interval '1 microsecond'`
    conditions.push(`(r.updated_at, r.id) > (${time}, ${put(id)}::uuid)`)
  }
  const where = conditions.map((condition) => ` AND ${condition}`).join('')
  return { text: `${selects[kind]}${where} ORDER BY r.updated_at, r.id LIMIT $1`, values }
}

/** Whether a text is a `position`. */
export const isDirectoryPosition = (text: string): boolean =>
  /^\d{1,17}-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

function splitPosition(position: string): [micros: string, id: string] {
  const end = position.indexOf('-')
  return [position.slice(0, end), position.slice(end + 1)]
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
