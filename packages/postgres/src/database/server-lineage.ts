import type pg from 'pg'
import { types, type RowOf } from './column-types.ts'
import { defineStatement, run } from './define-statement.ts'

const { bigint, int, notNull } = types

const identityTypes = {
  systemId: notNull(bigint, 'every server has one'),
  timeline: notNull(int, 'of a server that is no standby'),
}

/** Which server a session belongs to: the id that its data got when they were created, and the branch of their history. */
export type ServerIdentity = RowOf<typeof identityTypes>

/** Returns the server of the session, or no row for a standby, which has no branch of its own. Locks nothing. */
export const identityStatement = defineStatement({
  name: 'read-server-identity',
  takes: {},
  gives: identityTypes,
  sql: `
    SELECT system_identifier AS system_id,
      ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int AS timeline
    FROM pg_control_system() WHERE NOT pg_is_in_recovery()`,
})

/** A session leads to a server whose history another one, which this process has used, has continued. */
export class OlderServer extends Error {
  /** PostgreSQL's code for "cannot connect now": callers try again later. */
  readonly code = '57P03'

  constructor() {
    super(
      'the connection leads to an older PostgreSQL server than others of this process: a former primary that is still reachable?',
    )
  }
}

/**
 * Remembers the newest server that a process has used, and refuses older ones. After a failover, the former primary may
 * come back and still accept writes: what it accepts would be lost, and keys that were revoked since would be valid there.
 */
export class ServerLineage {
  readonly #onNewer: () => void
  readonly #servers = new WeakMap<pg.ClientBase, ServerIdentity>()
  /** When a session of each server was last opened, as `performance.now()` gives it. */
  readonly #seenMs = new Map<string, number>()
  #newest: ServerIdentity | undefined

  /** @param onNewer - called when a session of a newer server was opened. */
  constructor(onNewer: () => void) {
    this.#onNewer = onNewer
  }

  /**
   * Checks a new session. A standby passes, and a server that does not tell what it is.
   *
   * @throws OlderServer if the process has used a newer server.
   */
  async require(client: pg.ClientBase): Promise<void> {
    const [server] = await run(client, identityStatement, {}).catch(() => [])
    if (!server) return
    this.#servers.set(client, server)
    this.#seenMs.set(nameOf(server), performance.now())
    const order = this.#newest ? compare(server, this.#newest) : 1
    if (order < 0) throw new OlderServer()
    if (order === 0) return
    const isFirst = this.#newest === undefined
    this.#newest = server
    if (!isFirst) this.#onNewer()
  }

  /** The server of a session that was checked. */
  serverOf(client: pg.ClientBase): ServerIdentity | undefined {
    return this.#servers.get(client)
  }

  /** The servers of the sessions that were opened within the last minute, also of those that were refused. */
  get recent(): readonly string[] {
    const since = performance.now() - recentMs
    for (const [name, seenMs] of this.#seenMs) if (seenMs < since) this.#seenMs.delete(name)
    return [...this.#seenMs.keys()]
  }

  /** Whether a session that was checked belongs to an older server than another one. */
  isOlder(client: pg.ClientBase): boolean {
    const server = this.#servers.get(client)
    return server !== undefined && this.#newest !== undefined && compare(server, this.#newest) < 0
  }
}

const recentMs = 60_000

/** A text for a server, which differs from that of every other one. */
export const nameOf = ({ systemId, timeline }: ServerIdentity): string => `${systemId}/${timeline}`

/**
 * Reads the server of a transaction, for which a pooler keeps the session. `undefined`: a server that does not tell. The
 * transaction goes on.
 */
export async function readServer(client: pg.ClientBase): Promise<ServerIdentity | undefined> {
  await client.query('SAVEPOINT server')
  try {
    return (await run(client, identityStatement, {}))[0]
  } catch {
    await client.query('ROLLBACK TO SAVEPOINT server')
    return undefined
  } finally {
    await client.query('RELEASE SAVEPOINT server')
  }
}

/** Whether a server has continued the history of another one. */
export const isNewer = (server: ServerIdentity, than: ServerIdentity): boolean =>
  compare(server, than) > 0

/** Negative if the first server is older. A copy keeps the id, and its promotion begins a new timeline. */
const compare = (one: ServerIdentity, other: ServerIdentity): number =>
  one.systemId === other.systemId
    ? one.timeline - other.timeline
    : createdAt(one) - createdAt(other)

/** When the data of a server were created, in seconds: PostgreSQL puts the time into the upper half of the id. */
const createdAt = ({ systemId }: ServerIdentity): number => Number(BigInt(systemId) >> 32n)

/**
 * Reads which server the database is on, also behind a pooler. The text changes when a standby is promoted. `undefined`:
 * a standby, or a server that does not tell.
 */
export async function readServerName({
  pool,
}: {
  readonly pool: pg.Pool
}): Promise<string | undefined> {
  const [server] = await run(pool, identityStatement, {}).catch(() => [])
  return server && nameOf(server)
}
