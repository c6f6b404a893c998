import pg from 'pg'
import { connectDirectly, type Database } from './database.ts'
import { serverTimeouts } from './timeouts.ts'

/** A notice to operators about the timeouts of sessions behind a pooler. */
export interface TimeoutNotice {
  readonly message: string
  readonly error?: unknown
}

/**
 * Makes sure that PostgreSQL limits statements, locks and idle transactions. Without a pooler, each
 * connection sets the limits itself. Sessions of a pooler take them from their role in this database, so
 * missing or longer limits are set for the role. Only this role is affected, and every role may change
 * its own settings.
 *
 * @returns `undefined` if all limits are in effect.
 */
export async function ensureServerTimeouts(database: Database): Promise<TimeoutNotice | undefined> {
  if (database.hotPool) return undefined
  const { rows } = await database.pool.query<MissingRow>(missingQuery, [
    Object.keys(serverTimeouts(database.timeouts)),
    Object.values(serverTimeouts(database.timeouts)),
  ])
  if (rows.length === 0) return undefined
  const statements = rows.map(
    ({ role, name, setting, ms }) =>
      `ALTER ROLE ${pg.escapeIdentifier(role)} IN DATABASE ${pg.escapeIdentifier(name)} SET ${setting} TO ${ms}`,
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

interface MissingRow {
  readonly role: string
  readonly name: string
  readonly setting: string
  readonly ms: number
}

/** In milliseconds. 0 means no limit. */
const missingQuery = `
  SELECT current_user AS role, current_database() AS name, wanted.setting, wanted.ms
  FROM unnest($1::text[], $2::int[]) AS wanted (setting, ms)
  JOIN pg_settings s ON s.name = wanted.setting
  WHERE s.setting::int = 0 OR s.setting::int > wanted.ms
  ORDER BY wanted.setting`

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
