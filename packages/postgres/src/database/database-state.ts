import pg from 'pg'
import { setTimeout } from 'node:timers/promises'
import { types } from './column-types.ts'
import type { Database } from './database.ts'
import { findWrongSettings, type WrongSetting } from './session-settings.ts'
import { defineStatement, run } from './statement.ts'

const { bool, float, listOf, notNull, text } = types

/** What a process can currently expect of PostgreSQL. */
export interface DatabaseState {
  /** Whether it responds on the connections in use, and accepts new ones. */
  readonly isReachable: boolean
  /**
   * Whether it accepts writes: it is neither read-only nor a standby, has not refused a write recently, and commits do
   * not wait for a standby.
   */
  readonly isWritable: boolean
  /** How long the oldest commit has waited for a synchronous standby, in ms. 0 if none waits. */
  readonly commitWaitMs: number
  /** Those of {@link durabilitySettings} that are off. */
  readonly lossySettings: readonly string[]
  /** The settings of a new session that the code cannot work with. */
  readonly wrongSettings: readonly WrongSetting[]
}

/**
 * The settings without which PostgreSQL may lose what it has confirmed (packages/postgres/connections.md#durability).
 * Every value of `synchronous_commit` except `off` waits at least for the disk of this server.
 */
export const durabilitySettings = ['fsync', 'full_page_writes', 'synchronous_commit'] as const

/** How long each question may take, in ms. */
const askMsMax = 3_000
/** How long the database counts as not writable after it refused a write, for example because its disk is full. */
const refusalMs = 5_000
/** A commit that waits longer for a standby, in ms, probably waits for one that is down. */
const commitWaitMsMax = 5_000
/** For how long a new connection shows that others are accepted. */
const acceptedMs = 5_000

/** What the last session that was opened to ask about the server found. */
interface NewSession {
  readonly isAccepted: boolean
  readonly wrong: readonly WrongSetting[]
  /** As in {@link DatabaseState}. */
  readonly lossy: readonly string[]
  readonly commitWaitMs: number
  /** As `performance.now()` gives it. */
  readonly atMs: number
}
const newSessions = new WeakMap<Database, NewSession>()

/** PostgreSQL, as `watchLiveness` of @hosting/process asks about it. */
export const neededPostgres = (database: Database) => ({
  name: 'PostgreSQL',
  responds: () => respondsToPools(database),
  acceptsConnections: async () => (await openNewSession(database)).isAccepted,
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
  const [state, session] = await Promise.all([
    Promise.race([readState(database).catch(() => undefined), late]),
    openNewSession(database),
  ])
  const { pool, hotPool } = database
  const refusedMs = Math.max(pool.refusedMs, hotPool?.refusedMs ?? -Infinity)
  // Commits may occupy every connection of the pool, which then cannot be asked.
  const commitWaitMs = state?.commitWaitMs ?? session.commitWaitMs
  return {
    isReachable: state !== undefined && session.isAccepted,
    isWritable:
      state?.isReadOnly === false &&
      commitWaitMs <= commitWaitMsMax &&
      performance.now() - refusedMs > refusalMs,
    commitWaitMs,
    lossySettings: [...new Set([...(state?.lossy ?? []), ...session.lossy])],
    wrongSettings: session.wrong,
  }
}

/** How PostgreSQL keeps what it confirms. */
export interface Durability {
  /** Whether each of {@link durabilitySettings} is on. Empty if PostgreSQL does not respond. */
  readonly settings: Readonly<Record<string, boolean>>
  /** As in {@link DatabaseState}. */
  readonly commitWaitMs: number
  /** The primaries to which sessions were opened within the last minute: system identifier and timeline. */
  readonly primaries: readonly string[]
}

/** Reads how PostgreSQL keeps what it confirms. */
export async function readDurability(database: Database): Promise<Durability> {
  const { isReachable, lossySettings, commitWaitMs } = await readDatabaseState(database)
  const known = isReachable ? durabilitySettings : []
  return {
    settings: Object.fromEntries(known.map((name) => [name, !lossySettings.includes(name)])),
    commitWaitMs,
    primaries: database.lineage.recent,
  }
}

async function readState({ hotPool, pool }: Database) {
  const [state] = await run(hotPool ?? pool, stateStatement, { settings: durabilitySettings })
  if (state!.isReadOnly) for (const each of [pool, hotPool]) each?.dropIdle()
  return state!
}

/**
 * Returns whether the server refuses writes, how long commits wait for a standby, and which of the settings are off. The
 * role sees the sessions of its own, which are those of all processes.
 */
const stateStatement = defineStatement({
  name: 'read-database-state',
  takes: { settings: listOf(text) },
  gives: {
    isReadOnly: notNull(bool, 'known settings'),
    commitWaitMs: notNull(float, 'coalesce'),
    lossy: notNull(listOf(text), 'an array'),
  },
  sql: `
    SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS is_read_only,
      coalesce((
        SELECT max(extract(epoch FROM clock_timestamp() - query_start)) * 1000 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event = 'SyncRep'
      ), 0)::float8 AS commit_wait_ms,
      ARRAY(SELECT name FROM unnest(:settings) AS name WHERE current_setting(name) = 'off') AS lossy`,
})

/**
 * Opens a session as the pools do, which PostgreSQL may refuse while a pool has all the connections that it needs, and
 * reads back its settings, which may have been changed since the pools were opened. Takes at most three seconds, and does
 * not throw. What it finds counts for five seconds.
 */
async function openNewSession(database: Database): Promise<NewSession> {
  const last = newSessions.get(database)
  if (last?.isAccepted && performance.now() - last.atMs < acceptedMs) return last
  const client = new pg.Client({ ...database.session, connectionTimeoutMillis: askMsMax })
  client.on('error', () => undefined)
  const late = setTimeout(askMsMax, undefined, { ref: false })
  let isAccepted = false
  let found: SessionFindings | undefined
  try {
    // A pooler accepts a connection also while the server behind it does not respond.
    isAccepted = (await Promise.race([accept(client, database), late])) === true
    if (isAccepted) found = await Promise.race([readSettings(client, database), late])
  } catch {
    // It is not accepted, or the server does not respond.
  } finally {
    void client.end().catch(() => undefined)
  }
  const { wrong = [], lossy = [], commitWaitMs = 0 } = found ?? {}
  const session = { isAccepted, wrong, lossy, commitWaitMs, atMs: performance.now() }
  newSessions.set(database, session)
  return session
}

async function accept(client: pg.Client, { lineage }: Database): Promise<true> {
  await client.connect()
  await lineage.require(client)
  return true
}

type SessionFindings = Pick<NewSession, 'wrong' | 'lossy' | 'commitWaitMs'>

async function readSettings(client: pg.Client, { hotPool }: Database): Promise<SessionFindings> {
  const wrong = await findWrongSettings(client, hotPool !== undefined)
  const [state] = await run(client, stateStatement, { settings: durabilitySettings })
  const { lossy, commitWaitMs } = state!
  return { wrong, lossy, commitWaitMs }
}
