import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'

/** What `application_name` of a session says about a run of `migrate`. */
export const migrateName = 'hosting migrate'

/** How long sessions of processes that have just ended may remain, in ms. */
const lingerMs = 10_000
const lookMs = 250
const shownMax = 20

/**
 * Waits until no process of the installation uses the database. A process has sessions at all times. Those of release 1.0
 * have no name, so that a session without a name counts as one.
 *
 * @param migrations - the names of the migrations that need it.
 * @throws Error if processes are running.
 */
export async function requireStop(client: pg.Client, migrations: readonly string[]): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += lookMs) {
    const sessions = await listSessions(client)
    if (sessions.length === 0) return
    if (waitedMs >= lingerMs) throw new Error(describe(sessions, migrations))
    await delay(lookMs)
  }
}

interface Session {
  readonly pid: number
  readonly role: string | null
  readonly name: string
}

async function listSessions(client: pg.Client): Promise<Session[]> {
  const { rows } = await client.query<Session>(
    `SELECT pid, usename AS role, coalesce(application_name, '') AS name FROM pg_catalog.pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_catalog.pg_backend_pid()
       AND (application_name IN ('', current_setting('application_name')) OR application_name LIKE 'hosting%')
       AND application_name IS DISTINCT FROM $1
     ORDER BY pid LIMIT ${shownMax}`,
    [migrateName],
  )
  return rows
}

const describe = (sessions: readonly Session[], migrations: readonly string[]): string =>
  `${migrations.join(', ')} needs a stop: end all API and worker processes, also those of the release before, and run this ` +
  'again. Nothing was changed. These sessions use the database (a session without a name may be another program; ' +
  `end it, or give it an application_name):\n${sessions.map(describeSession).join('\n')}`

const describeSession = ({ pid, role, name }: Session): string =>
  `  process ${pid} of PostgreSQL, role ${role ?? 'unknown'}, ${name === '' ? 'without a name' : `named ${name}`}`
