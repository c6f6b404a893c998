import type { Config } from '@hosting/core/configuration'
import { setTimeout } from 'node:timers/promises'
import { followDatabaseClock, type ClockFollower } from './follow-clock.ts'
import { readDatabaseState } from './database-state.ts'
import { connectDirectly, openDatabase, type Database } from './database.ts'
import { isWorthWaiting } from './errors.ts'
import { makePartitions } from './partitions.ts'
import { setServerTimeouts, type TimeoutWarning } from './server-timeouts.ts'
import { explainConnectionError, requireSettings } from './session-settings.ts'
import type { ClientBase } from 'pg'
import { types } from './column-types.ts'
import { defineStatement, run } from './define-statement.ts'

type DatabaseSettings = Pick<
  Config,
  'databaseUrl' | 'databaseDirectUrl' | 'startTimeoutMs' | 'requireDurability'
>

/** The callbacks of {@link openServiceDatabase}. */
export interface ServiceDatabaseEvents {
  /** What PostgreSQL shows as the name of the process, unless the URL has an `application_name`. */
  readonly name?: string
  /** Called when an idle connection breaks. */
  readonly onError: (error: Error) => void
  /** Called once if PostgreSQL cannot be reached at the start. */
  readonly onWait: (error: unknown) => void
  /** Called at the start with the settings with which PostgreSQL may lose what it has confirmed. */
  readonly onLossySettings: (settings: readonly string[]) => void
  /** Called when some of the server's timeouts are not in effect. */
  readonly onTimeoutWarning: (warning: TimeoutWarning) => void
  /** Called when the role of the process can change the audit log. */
  readonly onAuditLogChangeable: () => void
  /** Called at the start with the sequences that were behind what is stored, and were raised. */
  readonly onPositionsRaised: (sequences: readonly string[]) => void
  readonly clock: Parameters<typeof followDatabaseClock>[1]
}

/** The result of {@link openServiceDatabase}. */
export interface ServiceDatabase {
  readonly database: Database
  readonly clock: ClockFollower
  /** Whether the role of the process can change the audit log. */
  readonly mayRewriteAuditLog: boolean
}

/**
 * Opens the database for a process of the service: waits until it can be reached, checks the settings and timeouts of its
 * sessions, follows its clock, creates the partitions ahead, and reports a role that can change the audit log.
 *
 * @throws Error if the database cannot be reached within `startTimeoutMs`, or its sessions have settings that the code
 * cannot work with.
 */
export async function openServiceDatabase(
  config: DatabaseSettings,
  events: ServiceDatabaseEvents,
): Promise<ServiceDatabase> {
  const directUrl = config.databaseDirectUrl?.reveal()
  const { onError, onTimeoutWarning, onAuditLogChangeable, clock: clockEvents } = events
  const open = (setsSynchronousCommit: boolean): Database =>
    openDatabase(config.databaseUrl.reveal(), {
      directUrl,
      setsSynchronousCommit,
      onError,
      applicationName: events.name,
    })
  const first = open(false)
  await waitForDatabase(first, { ...events, forMs: config.startTimeoutMs })
  const database = (await commitsAtOnce(first)) ? open(true) : first
  if (database !== first) await first.close()
  await requireSessions(database)
  const warning = await setServerTimeouts(database)
  if (warning) onTimeoutWarning(warning)
  await requireDurable(database, config, events)
  const clock = await followDatabaseClock(database, clockEvents)
  await makePartitions(database)
  const raised = await raisePositions(database.pool)
  if (raised.length > 0) events.onPositionsRaised(raised)
  const mayRewrite = await mayRewriteAuditLog(database)
  if (mayRewrite) onAuditLogChangeable()
  return { database, clock, mayRewriteAuditLog: mayRewrite }
}

/** The pause before PostgreSQL is asked again, in ms. */
const askAgainMs = 500

/** A wrong password or database is an error of the configuration, and nothing to wait for. */
async function waitForDatabase(
  { pool }: Database,
  { forMs, onWait }: { forMs: number } & Pick<ServiceDatabaseEvents, 'onWait'>,
): Promise<void> {
  const endMs = performance.now() + forMs
  for (let tries = 1; ; tries++) {
    try {
      return void (await pool.query('SELECT 1'))
    } catch (error) {
      if (!isWorthWaiting(error) || performance.now() >= endMs) throw explainConnectionError(error)
      if (tries === 1) onWait(error)
      await setTimeout(askAgainMs)
    }
  }
}

/** Checks the settings of the pools, and behind a pooler also those of direct sessions. */
async function requireSessions(database: Database): Promise<void> {
  const { pool, hotPool } = database
  await requireSettings(pool, hotPool !== undefined)
  if (hotPool) return
  const client = await connectDirectly(database, directMsMax)
  try {
    await requireSettings(client)
  } finally {
    await client.end()
  }
}

/** The time limit of a statement on the direct session, in ms. */
const directMsMax = 5_000

/** Whether sessions report a commit before it is on the disk. Direct sessions can set this; a pooler's role does. */
async function commitsAtOnce({ pool, hotPool }: Database): Promise<boolean> {
  const { rows } = await pool.query<{ value: string }>(
    `SELECT current_setting('synchronous_commit') AS value`,
  )
  return hotPool !== undefined && rows[0]!.value === 'off'
}

async function requireDurable(
  database: Database,
  { requireDurability }: Pick<Config, 'requireDurability'>,
  { onLossySettings }: Pick<ServiceDatabaseEvents, 'onLossySettings'>,
): Promise<void> {
  const { lossySettings } = await readDatabaseState(database)
  if (lossySettings.length === 0) return
  if (!requireDurability) return onLossySettings(lossySettings)
  throw new Error(
    `PostgreSQL may lose what it has confirmed: ${lossySettings.join(', ')}. Set them to on, or set REQUIRE_DURABILITY=false to accept the loss of events`,
  )
}

/**
 * Whether the role of the service's connections can change or remove rows of the audit log, its seals or
 * its chain: as their owner, as a superuser, or by a granted privilege.
 */
export async function mayRewriteAuditLog({ pool }: Database): Promise<boolean> {
  const { rows } = await pool.query<{ may: boolean }>(
    `SELECT bool_or(has_table_privilege(name, 'UPDATE, DELETE, TRUNCATE, TRIGGER')) AS may
     FROM unnest(ARRAY['audit_events', 'audit_seals', 'audit_chain']) AS t (name)`,
  )
  return rows[0]!.may
}

const { listOf, notNull, text } = types

/**
 * Raises the sequences that are behind what is stored, as after a move by logical replication, which does not copy
 * their state. Any number of processes can call it at the same time.
 *
 * @returns the names of the sequences that were raised.
 */
export async function raisePositions(
  client: Database['pool'] | ClientBase,
): Promise<readonly string[]> {
  const [row] = await run(client, raiseStatement, {})
  return row!.raised
}

/** Returns the names of the sequences that it raises. It locks each of these. */
const raiseStatement = defineStatement({
  name: 'raise-positions',
  takes: {},
  gives: { raised: notNull(listOf(text), 'an array') },
  sql: 'SELECT raise_positions() AS raised',
})
