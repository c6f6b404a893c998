import type { CallApi } from '#connection'
import type { DirectoryListPath, InternalInitOf, InternalResponseOf } from './api-types.ts'

type Batch = NonNullable<InternalInitOf<'/directory', 'put'>['body']>

/** The records of the platform: all that the service should have. */
export interface DirectoryRecords {
  readonly tenants: readonly NonNullable<Batch['tenants']>[number][]
  readonly accounts: readonly NonNullable<Batch['accounts']>[number][]
  /**
   * A `password` is sent if the service has none for the person. It cannot be compared: send a changed one with its own
   * PUT.
   */
  readonly users: readonly NonNullable<Batch['users']>[number][]
}

/** A record by its type and id. */
export interface DirectoryReference {
  readonly type: 'tenant' | 'account' | 'user'
  readonly id: string
}

/** The options of {@link DirectorySync}. */
export interface DirectorySyncOptions {
  /** Changes nothing, and reports what would be changed. Default: false. */
  readonly dryRun?: boolean | undefined
  /** Which surplus records are removed, by their ids in an earlier report. Others stay. Default: none. */
  readonly remove?: readonly DirectoryReference[] | undefined
  readonly signal?: AbortSignal | undefined
}

/** What became of the records. With `dryRun`, what would become of them, except for refusals. */
export interface DirectorySyncReport {
  /** The number of records that are the same on both sides. */
  readonly unchanged: number
  /** The records that were created or changed. */
  readonly put: readonly DirectoryReference[]
  /** The records that the service refused, each with the problem. */
  readonly refused: readonly InternalResponseOf<'/directory', 'put'>['items'][number][]
  /** The records that only the service has, and that were not removed. Check them before you remove them. */
  readonly surplus: readonly (DirectoryReference & { readonly name: string })[]
  /** The records that were removed. */
  readonly removed: readonly DirectoryReference[]
}

/**
 * Brings the directory of the service in line with the platform: reads it, sends only the differences, and removes only
 * what it is told to. If it is interrupted, a repeated call continues: what was sent is the same on both sides by then.
 *
 * @throws ApiProblem if a request as a whole is refused, ConnectionError if there is no response.
 */
export type DirectorySync = (
  records: DirectoryRecords,
  options?: DirectorySyncOptions,
) => Promise<DirectorySyncReport>

interface Connection {
  readonly call: CallApi
  items(path: DirectoryListPath, init: object): AsyncIterable<ReadRecord>
}

/** A record as the service returns it. */
type ReadRecord = InternalResponseOf<DirectoryListPath, 'get'>['items'][number]
type GivenRecord = DirectoryRecords[keyof DirectoryRecords][number]

interface Difference {
  readonly type: DirectoryReference['type']
  readonly record: GivenRecord
}

/** In the order in which records depend on each other. */
const kinds = [
  { type: 'tenant', list: 'tenants' },
  { type: 'account', list: 'accounts' },
  { type: 'user', list: 'users' },
] as const

/** See {@link DirectorySync}. */
export async function syncDirectory(
  connection: Connection,
  records: DirectoryRecords,
  { dryRun = false, remove = [], signal }: DirectorySyncOptions = {},
): Promise<DirectorySyncReport> {
  const given = kinds.reduce((sum, { list }) => sum + records[list].length, 0)
  const { differences, surplus } = await compare(connection, records, signal)
  const refused = dryRun ? [] : await send(connection, differences, signal)
  const isRefused = new Set(refused.map(keyOf))
  const isToBeRemoved = new Set(remove.map(keyOf))
  const removed = surplus.filter((record) => isToBeRemoved.has(keyOf(record)))
  if (!dryRun) await removeAll(connection, removed, signal)
  return {
    unchanged: given - differences.length,
    put: differences
      .map(({ type, record: { id } }) => ({ type, id: id.toLowerCase() }))
      .filter((record) => !isRefused.has(keyOf(record))),
    refused,
    surplus: surplus.filter((record) => !isToBeRemoved.has(keyOf(record))),
    removed: removed.map(({ type, id }) => ({ type, id })),
  }
}

const keyOf = ({ type, id }: { readonly type: string; readonly id: string | null }): string =>
  `${type} ${id?.toLowerCase()}`

/** Reads the service's records page by page, and keeps only what differs. */
async function compare(
  { items }: Connection,
  records: DirectoryRecords,
  signal: AbortSignal | undefined,
) {
  const differences: Difference[] = []
  const surplus: DirectorySyncReport['surplus'][number][] = []
  for (const { type, list } of kinds) {
    const missing = new Map<string, GivenRecord>(
      records[list].map((record) => [record.id.toLowerCase(), record]),
    )
    const known = new Set(missing.keys())
    for await (const read of items(`/${list}`, { params: { query: { limit: 1_000 } }, signal })) {
      const record = missing.get(read.id)
      if (record && isSameRecord(record, read)) missing.delete(read.id)
      else if (record) missing.set(read.id, withoutKnownPassword(record, read))
      if (!known.has(read.id)) surplus.push({ type, id: read.id, name: read.name })
    }
    differences.push(...[...missing.values()].map((record) => ({ type, record })))
  }
  return { differences, surplus }
}

/** The password of the service may be newer. Sending the platform's would restore the old one and end the sessions. */
function withoutKnownPassword(given: GivenRecord, read: ReadRecord): GivenRecord {
  if (!('password' in given && 'has_password' in read && read.has_password)) return given
  const { password: _password, ...record } = given
  return record
}

/** A batch responds within seconds. The service takes tens of milliseconds for a password. */
const batchCostMax = 500
const passwordCost = 20

const costOf = ({ record }: Difference): number =>
  'password' in record && record.password !== undefined ? passwordCost : 1

async function send(
  { call }: Connection,
  differences: readonly Difference[],
  signal: AbortSignal | undefined,
): Promise<DirectorySyncReport['refused'][number][]> {
  const refused: DirectorySyncReport['refused'][number][] = []
  for (let start = 0; start < differences.length;) {
    let end = start
    for (let cost = 0; end < differences.length && cost < batchCostMax; end++) {
      cost += costOf(differences[end]!)
    }
    const body = toBatch(differences.slice(start, end))
    const { items } = (await call('put', '/directory', { body, signal })) as InternalResponseOf<
      '/directory',
      'put'
    >
    refused.push(...items.filter(({ problem }) => problem !== undefined))
    start = end
  }
  return refused
}

const toBatch = (differences: readonly Difference[]): object =>
  Object.fromEntries(
    kinds.map(({ type, list }) => [
      list,
      differences.filter((difference) => difference.type === type).map(({ record }) => record),
    ]),
  )

/** Removes what depends on others first. Deleting an organization also deletes its accounts and users. */
async function removeAll(
  { call }: Connection,
  references: readonly DirectoryReference[],
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const { type, list } of kinds.toReversed()) {
    for (const { id } of references.filter((reference) => reference.type === type)) {
      const params = { path: { id } }
      await call('delete', `/${list}/{id}`, { params, signal }).catch((error: unknown) => {
        // Someone else removed it meanwhile.
        if ((error as { status?: number }).status !== 404) throw error
      })
    }
  }
}

/** The members of which the order and the case do not matter: ids and roles. */
const sets: ReadonlySet<string> = new Set(['roles', 'accounts'])
const ids: ReadonlySet<string> = new Set(['id', 'tenant_id'])

/**
 * Whether a record of the platform is what the service has.
 *
 * @param given - as it would be sent.
 * @param read - as the service returns it.
 */
function isSameRecord(given: object, read: object): boolean {
  const { password, ...members } = given as Readonly<Record<string, unknown>>
  const there = read as Readonly<Record<string, unknown>>
  if (password !== undefined && there['has_password'] === false) return false
  return Object.entries({ ...('slug' in given && { edition: 'standard' }), ...members }).every(
    ([name, value]) =>
      value === undefined || canonical(name, value) === canonical(name, there[name]),
  )
}

function canonical(name: string, value: unknown): string {
  if (sets.has(name)) {
    const words = (value as readonly string[]).map((word) => word.toLowerCase())
    return [...new Set(words)].toSorted().join()
  }
  return ids.has(name) ? String(value).toLowerCase() : String(value)
}
