import pg from 'pg'
import { setTimeout } from 'node:timers/promises'
import { types } from './column-types.ts'
import type { Database } from './database.ts'
import { defineStatement, run } from './statement.ts'

const { bool, listOf, notNull, text } = types

/** What a process can currently expect of PostgreSQL. */
export interface DatabaseState {
  /** Whether it responds on the connections in use, and accepts new ones. */
  readonly isReachable: boolean
  /** Whether it accepts writes: it is neither read-only nor a standby, and has not refused a write recently. */
  readonly isWritable: boolean
  /** Those of {@link durabilitySettings} that are off. */
  readonly lossySettings: readonly string[]
}

/**
 * The settings without which PostgreSQL may lose what it has confirmed (docs/decisions/0073-durability.md). Every value
 * of `synchronous_commit` except `off` waits at least for the disk of this server.
 */
export const durabilitySettings = ['fsync', 'full_page_writes', 'synchronous_commit'] as const

/** How long each question may take, in ms. */
const askMsMax = 3_000
/** How long the database counts as not writable after it refused a write, for example because its disk is full. */
const refusalMs = 5_000
/** For how long a new connection shows that others are accepted. */
const acceptedMs = 5_000

const acceptedAtMs = new WeakMap<Database, number>()

/** PostgreSQL, as `watchLiveness` of @hosting/process asks about it. */
export const neededPostgres = (database: Database) => ({
  name: 'PostgreSQL',
  responds: () => respondsToPools(database),
  acceptsConnections: () => acceptsConnections(database),
})

/** For how much longer than a statement may take a response shows that the connections of the pools work, in ms. */
const heardMarginMs = 1_000

/**
 * Whether PostgreSQL has responded on any connection of the pools recently, or does so within three seconds. Does not
 * throw. A pool whose connections are all busy is asked nothing, but it gets responses.
 */
async function respondsToPools({ pool, hotPool, timeouts }: Database): Promise<boolean> {
  const heardMs = timeouts.statementMs + heardMarginMs
  const pools = hotPool ? [pool, hotPool] : [pool]
  if (pools.some(({ respondedMs }) => performance.now() - respondedMs < heardMs)) return true
  const asked = pools.map((each) => each.query('SELECT 1').then(() => true))
  const late = setTimeout(askMsMax, false, { ref: false })
  return await Promise.race([Promise.any(asked), late]).catch(() => false)
}

/** Asks PostgreSQL for its state. Takes at most three seconds, and does not throw. */
export async function readDatabaseState(database: Database): Promise<DatabaseState> {
  const late = setTimeout(askMsMax, undefined, { ref: false })
  const [state, isAccepting] = await Promise.all([
    Promise.race([readState(database).catch(() => undefined), late]),
    acceptsConnections(database),
  ])
  const { pool, hotPool } = database
  const refusedMs = Math.max(pool.refusedMs, hotPool?.refusedMs ?? -Infinity)
  return {
    isReachable: state !== undefined && isAccepting,
    isWritable: state?.isReadOnly === false && performance.now() - refusedMs > refusalMs,
    lossySettings: state?.lossy ?? [],
  }
}

/** Whether each of {@link durabilitySettings} is on. `undefined` if PostgreSQL does not respond. */
export async function readDurability(
  database: Database,
): Promise<Readonly<Record<string, boolean>> | undefined> {
  const { isReachable, lossySettings } = await readDatabaseState(database)
  if (!isReachable) return undefined
  return Object.fromEntries(durabilitySettings.map((name) => [name, !lossySettings.includes(name)]))
}

async function readState({ hotPool, pool }: Database) {
  const [state] = await run(hotPool ?? pool, stateStatement, { settings: durabilitySettings })
  if (state!.isReadOnly) for (const each of [pool, hotPool]) each?.dropIdle()
  return state!
}

/** Gives whether the server refuses writes, and which of the settings are off. */
const stateStatement = defineStatement({
  name: 'read-database-state',
  takes: { settings: listOf(text) },
  gives: { isReadOnly: notNull(bool, 'known settings'), lossy: notNull(listOf(text), 'an array') },
  sql: `
    SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS is_read_only,
      ARRAY(SELECT name FROM unnest(:settings) AS name WHERE current_setting(name) = 'off') AS lossy`,
})

/**
 * Whether PostgreSQL accepts new connections, which it may refuse while a pool has all the connections that it needs.
 * Takes at most three seconds, and does not throw.
 */
async function acceptsConnections(database: Database): Promise<boolean> {
  if (performance.now() - (acceptedAtMs.get(database) ?? -Infinity) < acceptedMs) return true
  const client = new pg.Client({ ...database.session, connectionTimeoutMillis: askMsMax })
  client.on('error', () => undefined)
  try {
    await client.connect()
    acceptedAtMs.set(database, performance.now())
    return true
  } catch {
    return false
  } finally {
    void client.end().catch(() => undefined)
  }
}
