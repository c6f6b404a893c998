import { sessionConfigOf } from '@hosting/postgres/database'
import pg from 'pg'
import { setTimeout } from 'node:timers/promises'
import { observerName } from './sessions.ts'

/** Connects as an operator, whatever happens to the database's settings. */
async function withClient(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const client = new pg.Client({
    ...sessionConfigOf(databaseUrl, { default_transaction_read_only: 'off' }),
    application_name: observerName,
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
export const growingTables = [
  'events',
  'deliveries',
  'delivery_attempts',
  'attempt_batches',
  'audit_events',
]

/** Lets inserts fail as on a full disk (SQLSTATE 53100) until a function has ended. */
export const fillDisk = (databaseUrl: string, during: During): Promise<void> =>
  withTrigger(databaseUrl, during, {
    name: 'full_disk',
    when: 'BEFORE INSERT',
    tables: growingTables,
    body: `RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';`,
  })

/**
 * Delays the commit of one in three events by 0.5 s, as a busy disk does, until a function has ended. Others are committed
 * meanwhile, so transactions commit in another order than they took their positions.
 */
export const slowCommits = (databaseUrl: string, during: During): Promise<void> =>
  withTrigger(databaseUrl, during, {
    name: 'slow_commit',
    when: 'AFTER INSERT',
    tables: ['events'],
    body: 'IF random() < 1.0 / 3 THEN PERFORM pg_sleep(0.5); END IF; RETURN NEW;',
  })

type During = () => Promise<unknown>

interface Trigger {
  readonly name: string
  readonly when: 'BEFORE INSERT' | 'AFTER INSERT'
  readonly tables: readonly string[]
  /** What the trigger runs for each row, in PL/pgSQL. */
  readonly body: string
}

/**
 * Adds a trigger until a function has ended. Each partition has its own, because the services insert into partitions, not
 * into their parent. Each is added and removed in a transaction of its own: one that locks several partitions may deadlock
 * with readers again and again.
 */
async function withTrigger(
  databaseUrl: string,
  during: During,
  { name, when, tables, body }: Trigger,
): Promise<void> {
  const names = `SELECT coalesce(p.relid, t::regclass)::regclass::text AS name FROM unnest($1::text[]) AS t
    LEFT JOIN LATERAL (SELECT relid FROM pg_partition_tree(t::regclass) WHERE isleaf) p ON true`
  let leaves: readonly { readonly name: string }[] = []
  await insist(databaseUrl, async (client) => {
    await client.query(
      `CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} END $$`,
    )
    leaves = (await client.query<{ name: string }>(names, [tables])).rows
    for (const leaf of leaves) {
      await client.query(
        `CREATE OR REPLACE TRIGGER ${name} ${when} ON ${leaf.name} FOR EACH ROW EXECUTE FUNCTION ${name}()`,
      )
    }
  })
  await during()
  await insist(databaseUrl, async (client) => {
    for (const leaf of leaves) await client.query(`DROP TRIGGER IF EXISTS ${name} ON ${leaf.name}`)
  })
}
