import pg from 'pg'
import { types } from './column-types.ts'
import { defineStatement, run } from './define-statement.ts'

const { listOf, named, notNull, nullable, text } = types

/** Settings of a session by their names. */
export type SessionSettings = Readonly<Record<string, string | number>>

/** A setting that the code depends on. */
interface NeededSetting {
  readonly value: string
  /** Whether another value does as well. */
  readonly accepts?: (value: string) => boolean
  /** Why the setting is not sent: a value of the server or the role is then refused. */
  readonly notSent?: string
}

/**
 * Every setting of a session that the code depends on. A DBA may have set any of them for the server, the database or the
 * role. All are sent with each connection, and read back when a process starts and by `/readyz`, because a pooler may
 * drop them (packages/postgres/connections.md#session-settings).
 */
const neededSettings: Readonly<Record<string, NeededSetting>> = {
  // pg reads times in this form only.
  DateStyle: { value: 'ISO, MDY', accepts: (value) => value.startsWith('ISO,') },
  // Prisma's adapter sends and reads times without their zone.
  TimeZone: { value: 'UTC', accepts: (value) => /^(Etc\/)?(UTC|GMT)$/.test(value) },
  IntervalStyle: { value: 'postgres' },
  bytea_output: { value: 'hex' },
  // Below 1, PostgreSQL rounds what the clock and the statistics read.
  extra_float_digits: { value: '1', accepts: (value) => Number(value) >= 1 },
  client_encoding: { value: 'UTF8' },
  // Row locks and conditional updates decide races; a stricter level makes them fail instead.
  default_transaction_isolation: { value: 'read committed' },
  // The meaning of statements and of the bodies of functions.
  standard_conforming_strings: { value: 'on' },
  transform_null_equals: { value: 'off' },
  array_nulls: { value: 'on' },
  quote_all_identifiers: { value: 'off' },
  // Prisma names the schema in its statements, and the others rely on the path. Temporary objects come last.
  search_path: { value: 'public, pg_temp' },
  // An error ends a statement, not the session.
  exit_on_error: { value: 'off' },
  // A listening session is idle most of the time.
  idle_session_timeout: { value: '0' },
  // Statements are planned for their values, and read the partitions of the days that they ask for.
  plan_cache_mode: { value: 'auto' },
  enable_partition_pruning: { value: 'on' },
  transaction_timeout: { value: '0', notSent: 'unknown to PostgreSQL 16 and earlier' },
  // Any other value disables triggers and foreign keys.
  session_replication_role: { value: 'origin', notSent: 'only superusers may set it' },
}

/** Marks a session that received what it was sent. */
const marker: SessionSettings = { 'hosting.session': 'own' }

/** What every connection sends. */
export const sentSettings: SessionSettings = {
  ...Object.fromEntries(
    Object.entries(neededSettings)
      .filter(([, { notSent }]) => notSent === undefined)
      .map(([name, { value }]) => [name, value]),
  ),
  ...marker,
}

/** Formats PostgreSQL settings as start-up options of a session. White space and backslashes are escaped. */
export const sessionOptionsOf = (settings: SessionSettings): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${String(value).replace(/[\s\\]/g, '\\$&')}`)
    .join(' ')

/** A setting of a session that the code cannot work with. */
export interface WrongSetting {
  readonly name: string
  /** Names the setting, its value, the role, the database and the command that helps. */
  readonly sentence: string
}

/** What runs the statement: a pool, or a connection. */
type Runner = Parameters<typeof run>[0]

/**
 * Reads back the settings of a session.
 *
 * @param isSent - whether the session was sent its settings. Behind a pooler it was not.
 * @returns the wrong ones.
 */
export async function findWrongSettings(runner: Runner, isSent: boolean): Promise<WrongSetting[]> {
  const rows = await run(runner, settingsStatement, { names: Object.keys(neededSettings) })
  if (isSent && rows[0]!.marker === null) return [droppedSettings]
  return rows.filter(isWrong).map((row) => ({ name: row.name, sentence: describe(row) }))
}

/**
 * Requires that a session has the settings that it was sent.
 *
 * @throws Error that names those that it does not have, and what to do.
 */
export async function requireSettings(runner: Runner, isSent = true): Promise<void> {
  const wrong = await findWrongSettings(runner, isSent)
  if (wrong.length > 0) throw new Error(wrong.map(({ sentence }) => sentence).join('. '))
}

const droppedText =
  'A pooler between this process and PostgreSQL drops the settings that sessions send (the startup parameter options): set DATABASE_DIRECT_URL to the address of PostgreSQL itself, without the pooler'

const droppedSettings: WrongSetting = { name: 'options', sentence: droppedText }

/**
 * Explains an error of a connection attempt: a pooler that refuses the settings of sessions, as PgBouncer does with
 * `unsupported startup parameter`.
 *
 * @returns an error that says what to do, or the same one.
 */
export function explainConnectionError(error: unknown): unknown {
  return refusesSettings(error) ? new Error(droppedText, { cause: error }) : error
}

/** Whether a pooler refuses the settings of sessions. Waiting does not help. */
export const refusesSettings = (error: unknown): boolean =>
  error instanceof Error && /unsupported startup parameter/.test(error.message)

/** Returns the settings by name, with where each comes from. The setting of the search path is the schema that it leads to. */
const settingsStatement = defineStatement({
  name: 'read-session-settings',
  takes: { names: listOf(text) },
  gives: {
    name: notNull(text, 'of the view pg_settings'),
    value: notNull(text, 'of the view pg_settings'),
    source: notNull(text, 'of the view pg_settings'),
    schema: nullable(named('name')),
    role: notNull(named('name'), 'session_user'),
    database: notNull(named('name'), 'current_database()'),
    marker: nullable(text),
  },
  sql: `
    SELECT name, setting AS value, source, current_schema() AS schema, session_user AS role,
      current_database() AS database, current_setting('hosting.session', true) AS marker
    FROM pg_settings WHERE name = ANY (:names) ORDER BY name`,
})

interface SettingRow {
  readonly name: string
  readonly value: string
  readonly source: string
  readonly schema: string | null
  readonly role: string
  readonly database: string
}

function isWrong({ name, value, schema }: SettingRow): boolean {
  if (name === 'search_path') return schema !== 'public'
  const { value: needed, accepts } = neededSettings[name]!
  return value !== needed && accepts?.(value) !== true
}

function describe({ name, value, source, schema, role, database }: SettingRow): string {
  if (name === 'search_path' && schema === null) {
    return `Role ${role} cannot use the schema public of database ${database}: create it, or GRANT USAGE ON SCHEMA public TO ${pg.escapeIdentifier(role)}`
  }
  const needed = neededSettings[name]!.value
  const says = `Sessions of role ${role} in database ${database} have ${name} "${value}" instead of "${needed}"`
  const [target, origin] = targets({ role, database })[source] ?? []
  if (target === undefined) {
    return `${says}, which the pooler or another of its clients has set: remove that, or set DATABASE_DIRECT_URL to the address of PostgreSQL itself`
  }
  return `${says}, which comes from ${origin}: ${target} SET ${name} TO ${literalOf(name)}. Then renew the sessions of a pooler (PgBouncer: RECONNECT)`
}

/** A list of names is not quoted as one. */
const literalOf = (name: string): string => {
  const { value } = neededSettings[name]!
  return name === 'search_path' ? value : pg.escapeLiteral(value)
}

/** The command that changes a setting, by its source in `pg_settings`, and what that source is. The last ones win. */
function targets({
  role,
  database,
}: Pick<SettingRow, 'role' | 'database'>): Record<string, readonly [string, string]> {
  const [ofRole, ofDatabase] = [role, database].map((name) => pg.escapeIdentifier(name))
  const databases = `ALTER DATABASE ${ofDatabase}`
  return {
    default: [databases, "PostgreSQL's default"],
    'environment variable': [databases, "the server's environment"],
    'configuration file': [databases, "the server's configuration"],
    'command line': [databases, "the server's command line"],
    global: [databases, 'ALTER ROLE ALL'],
    database: [databases, 'ALTER DATABASE'],
    user: [`ALTER ROLE ${ofRole}`, 'ALTER ROLE'],
    'database user': [`ALTER ROLE ${ofRole} IN DATABASE ${ofDatabase}`, 'ALTER ROLE IN DATABASE'],
  }
}
