import pg from 'pg'
import { types } from './column-types.ts'
import { connectDirectly, type Database } from './database.ts'
import { defineStatement, run } from './statement.ts'
import { serverTimeouts } from './timeouts.ts'

const { listOf, named, notNull, text } = types

/** A warning about the settings of sessions behind a pooler. */
export interface TimeoutWarning {
  readonly message: string
  readonly error?: unknown
}

/**
 * Makes sure that PostgreSQL limits statements, locks and idle transactions, and that a commit waits for the disk.
 * Without a pooler, each connection sets this itself. Sessions of a pooler take it from their role in this database,
 * so missing or longer limits are set for the role. Only this role is affected, and every role may change its own
 * settings.
 *
 * @returns `undefined` if all settings are in effect.
 */
export async function setServerTimeouts(database: Database): Promise<TimeoutWarning | undefined> {
  if (database.hotPool) return undefined
  const wanted = { ...serverTimeouts(database.timeouts), synchronous_commit: 'on' }
  const rows = await run(database.pool, missingStatement, {
    settings: Object.keys(wanted),
    wanted: Object.values(wanted).map(String),
  })
  if (rows.length === 0) return undefined
  const statements = rows.map(
    ({ role, name, setting, value }) =>
      `ALTER ROLE ${pg.escapeIdentifier(role)} IN DATABASE ${pg.escapeIdentifier(name)} SET ${setting} TO ${value}`,
  )
  const missing = rows.map(({ setting }) => setting).join(', ')
  try {
    await runExclusively(database, statements)
    return {
      message: `sessions of the pooler had no ${missing}: set for new ones, and PgBouncer's RECONNECT renews the others`,
    }
  } catch (error) {
    return {
      message: `sessions of the pooler have no ${missing}, and setting them failed: ${statements.join('; ')}`,
      error,
    }
  }
}

/** Limits are in milliseconds, and 0 means none. Every value of `synchronous_commit` except `off` waits for the disk. */
const missingStatement = defineStatement({
  name: 'list-missing-settings',
  takes: { settings: listOf(text), wanted: listOf(text) },
  gives: {
    role: notNull(named('name'), 'session_user'),
    name: notNull(named('name'), 'current_database()'),
    setting: notNull(text, 'given'),
    value: notNull(text, 'given'),
  },
  sql: `
    SELECT session_user AS role, current_database() AS name, wanted.setting, wanted.value
    FROM unnest(:settings, :wanted) AS wanted (setting, value)
    JOIN pg_settings s ON s.name = wanted.setting
    WHERE CASE s.vartype
      WHEN 'integer' THEN s.setting::int = 0 OR s.setting::int > wanted.value::int
      ELSE s.setting = 'off'
    END
    ORDER BY wanted.setting`,
})

const statementMsMax = 5_000

/** If two sessions changed the settings of a role at the same time, one of them would fail. */
async function runExclusively(database: Database, statements: readonly string[]): Promise<void> {
  const client = await connectDirectly(database, statementMsMax)
  try {
    await client.query(
      `SELECT pg_advisory_xact_lock(hashtext('server_timeouts')); ${statements.join('; ')}`,
    )
  } finally {
    await client.end()
  }
}
