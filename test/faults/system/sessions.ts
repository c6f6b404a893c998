import { silenceCheckName } from '@hosting/postgres/database'
import pg from 'pg'
import { setTimeout } from 'node:timers/promises'

/** The application name of the tests' own sessions. */
export const observerName = 'faults-observer'

/** Counts the PostgreSQL sessions of the services. */
export interface SessionWatch {
  /** The highest count, and how often the sessions were counted. */
  stop(): Promise<{ readonly most: number; readonly looks: number }>
}

const everyMs = 100

/** Starts to count the sessions of a database, except those of the tests and those that ask about silent connections. */
export async function watchSessions(databaseUrl: string): Promise<SessionWatch> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: observerName })
  client.on('error', () => undefined)
  await client.connect()
  const stopping = new AbortController()
  let most = 0
  let looks = 0

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const { rows } = await client.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM pg_stat_activity
         WHERE datname = current_database() AND backend_type = 'client backend' AND application_name <> ALL ($1)`,
        [[observerName, silenceCheckName]],
      )
      most = Math.max(most, rows[0]!.count)
      looks += 1
      await setTimeout(everyMs)
    }
  }

  const running = run()
  running.catch(() => undefined)
  return {
    async stop() {
      stopping.abort()
      await running
      await client.end()
      return { most, looks }
    },
  }
}

/** Holds the locks of a statement for a time. */
export async function holdLocks(
  databaseUrl: string,
  { statement, values = [], forMs }: { statement: string; values?: unknown[]; forMs: number },
): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: observerName,
    options: '-c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0',
  })
  client.on('error', () => undefined)
  await client.connect()
  while (!(await takesLocks(client, statement, values)));
  await setTimeout(forMs)
  await client.query('COMMIT')
  await client.end()
}

/** Starts a transaction with a locking statement; returns none if it was the victim of a deadlock. */
async function takesLocks(
  client: pg.Client,
  statement: string,
  values: unknown[],
): Promise<boolean> {
  try {
    await client.query('BEGIN')
    await client.query(statement, values)
    return true
  } catch (error) {
    if ((error as pg.DatabaseError).code !== deadlockDetected) throw error
    await client.query('ROLLBACK')
    return false
  }
}

const deadlockDetected = '40P01'
