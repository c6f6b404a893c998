import { silenceCheckName } from '@hosting/postgres/database'
import pg from 'pg'
import { setTimeout } from 'node:timers/promises'
import type { Recorder } from '../history/recorder.ts'

/** The application name of the tests' own sessions. */
export const observerName = 'faults-observer'

const everyMs = 250

/** The URL of a database for the tests' own sessions. */
export function observerUrl(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.set('application_name', observerName)
  return url.href
}

/**
 * Counts the sessions of the services in a database until the signal aborts, and records each count that is the highest
 * one, or too high. Only sessions that two looks in a row see count: a server needs a moment to notice that a client has
 * closed a connection.
 *
 * @param most - how many sessions the services may have.
 */
export async function watchSessions(
  { databaseUrl, most }: { databaseUrl: string; most: number },
  recorder: Recorder,
  signal: AbortSignal,
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: observerName })
  client.on('error', () => undefined)
  await client.connect()
  let [highest, before] = [-1, 0]
  for (; !signal.aborted; await setTimeout(everyMs)) {
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND backend_type = 'client backend' AND application_name <> ALL ($1)`,
      [[observerName, silenceCheckName]],
    )
    const now = rows[0]!.count
    const count = Math.min(before, now)
    before = now
    if (count > Math.min(highest, most)) {
      recorder.invoke('reader', 'read sessions', { most }).ok({ count })
    }
    highest = Math.max(highest, count)
  }
  await client.end()
}

/** Holds the locks of a statement for a time. */
export async function holdLocks(
  databaseUrl: string,
  { statement, forMs }: { statement: string; forMs: number },
): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: observerName,
    options: '-c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0',
  })
  client.on('error', () => undefined)
  await client.connect()
  while (!(await takesLocks(client, statement)));
  await setTimeout(forMs)
  await client.query('COMMIT')
  await client.end()
}

/** Starts a transaction with a locking statement; returns none if it was the victim of a deadlock. */
async function takesLocks(client: pg.Client, statement: string): Promise<boolean> {
  try {
    await client.query('BEGIN')
    await client.query(statement)
    return true
  } catch (error) {
    if ((error as pg.DatabaseError).code !== deadlockDetected) throw error
    await client.query('ROLLBACK')
    return false
  }
}

const deadlockDetected = '40P01'
