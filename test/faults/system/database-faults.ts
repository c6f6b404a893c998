import pg from 'pg'
import { setTimeout } from 'node:timers/promises'
import { observerName } from './sessions.ts'

/** Connects as an operator, whatever happens to the database's settings. */
async function withClient(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: observerName,
    options: '-c default_transaction_read_only=off -c statement_timeout=0 -c lock_timeout=0',
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Repeats a change of the database until it succeeds: another fault may interrupt it. */
async function insist(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  for (;;) {
    try {
      return await withClient(databaseUrl, work)
    } catch {
      await setTimeout(200)
    }
  }
}

const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND application_name <> '${observerName}' AND pid <> pg_backend_pid()`

/** Ends the sessions of the services. */
export const terminateSessions = (databaseUrl: string): Promise<void> =>
  insist(databaseUrl, (client) => client.query(terminate))

/** Makes the database read-only, like a primary that became a replica. */
export async function makeReadOnly(databaseUrl: string, forMs: number): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1)
  await insist(databaseUrl, async (client) => {
    await client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    await client.query(terminate)
  })
  await setTimeout(forMs)
  await insist(databaseUrl, async (client) => {
    await client.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`)
    await client.query(terminate)
  })
}

/** The tables that have no room while the disk is full. */
const growingTables = [
  'events',
  'deliveries',
  'delivery_attempts',
  'attempt_batches',
  'audit_events',
]

/** Lets inserts fail as on a full disk (SQLSTATE 53100). */
export async function fillDisk(databaseUrl: string, forMs: number): Promise<void> {
  await insist(databaseUrl, async (client) => {
    await client.query(`CREATE OR REPLACE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
      END $$`)
    for (const table of growingTables) {
      await client.query(
        `CREATE OR REPLACE TRIGGER full_disk BEFORE INSERT ON ${table} EXECUTE FUNCTION full_disk()`,
      )
    }
  })
  await setTimeout(forMs)
  await insist(databaseUrl, async (client) => {
    for (const table of growingTables) {
      await client.query(`DROP TRIGGER IF EXISTS full_disk ON ${table}`)
    }
  })
}
