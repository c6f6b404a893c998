import { createHash, randomUUID } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  connectOrExplain,
  raisePositions,
  requireSettings,
  sessionConfigOf,
} from '@hosting/postgres/database'
import pg from 'pg'
import { applyFunctions, readFunctions } from './functions.ts'
import { pinOwnerSession } from './owner-session.ts'
import { migrateName, requireStop } from './required-stop.ts'
import { root } from './run.ts'

/** One folder of prisma/migrations. */
interface Migration {
  readonly name: string
  readonly sql: string
  /** As computed by Prisma. */
  readonly checksum: string
  /** Whether no process of the service may run meanwhile. */
  readonly needsStop: boolean
  /** Whether it commits in batches, and continues where an interrupted run stopped. */
  readonly isResumable: boolean
}

/** The code of the messages by which a resumable migration tells its progress. */
const progressCode = 'HC001'

/**
 * Applies the missing migrations and records them as `prisma migrate deploy` does, so that Prisma's
 * commands agree with the result (packages/postgres/README.md#migrations). Then applies the functions that changed
 * (packages/postgres/README.md#functions-as-files).
 *
 * @param folder - with `migrations` and `functions`.
 * @param onProgress - called with what a long migration tells.
 * @returns a summary for the terminal.
 * @throws Error if a migration or a function fails, if a migration failed earlier, if an applied one was changed, or if
 * one needs a stop and processes are running.
 */
export async function migrate(
  databaseUrl: string,
  folder = join(root, 'prisma'),
  onProgress: (line: string) => void = () => undefined,
): Promise<string> {
  const migrations = readMigrations(join(folder, 'migrations'))
  const functions = readFunctions(join(folder, 'functions'))
  return await withMigrationLock(databaseUrl, async (client) => {
    client.on('notice', ({ code, message = '' }) => {
      if (code === progressCode) onProgress(`${message}\n`)
    })
    await createHistory(client)
    await forgetInterrupted(client, migrations)
    const applied = await readApplied(client)
    for (const migration of migrations) requireUnchanged(migration, applied)
    const pending = migrations.filter(({ name }) => !applied.has(name))
    const stopping = pending.filter(({ needsStop }) => needsStop).map(({ name }) => name)
    if (applied.size > 0 && stopping.length > 0) await requireStop(client, stopping)
    for (const migration of pending) await apply(client, migration)
    const summary = summarize(pending, await applyFunctions(client, functions))
    const raised = functions.some(({ name }) => name === 'raise_positions')
      ? await raisePositions(client)
      : []
    return raised.length === 0 ? summary : `${summary}Raised sequences: ${raised.join(', ')}\n`
  })
}

function summarize(pending: readonly Migration[], functions: readonly string[]): string {
  const list = (names: readonly string[]) => names.map((name) => `  ${name}\n`).join('')
  const migrated =
    pending.length === 0
      ? 'No pending migrations to apply.\n'
      : `Applied:\n${list(pending.map(({ name }) => name))}All migrations have been successfully applied.\n`
  return functions.length === 0 ? migrated : `${migrated}Applied functions:\n${list(functions)}`
}

/**
 * Records how an operator resolved a failed migration, as `prisma migrate resolve` does: after `rolled-back` the next
 * run applies it again; after `applied` it counts as applied.
 *
 * @throws Error if no such migration has failed.
 */
export async function resolveFailed(
  databaseUrl: string,
  name: string,
  outcome: 'rolled-back' | 'applied',
): Promise<string> {
  return await withMigrationLock(databaseUrl, async (client) => {
    const { rows } = await client.query<{ checksum: string }>(
      `UPDATE _prisma_migrations SET rolled_back_at = now()
       WHERE migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL RETURNING checksum`,
      [name],
    )
    if (!rows[0]) throw new Error(`No migration ${name} has failed on this database`)
    if (outcome === 'applied') {
      await client.query(
        `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
         VALUES ($1, $2, $3, now())`,
        [randomUUID(), rows[0].checksum, name],
      )
    }
    return `Migration ${name} is recorded as ${outcome}.\n`
  })
}

function readMigrations(folder: string): Migration[] {
  if (!existsSync(folder)) throw new Error(`${folder} does not exist`)
  return globSync('*/migration.sql', { cwd: folder })
    .toSorted()
    .map((path) => {
      const bytes = readFileSync(join(folder, path))
      const checksum = createHash('sha256').update(bytes).digest('hex')
      const sql = bytes.toString()
      return {
        name: dirname(path),
        sql,
        checksum,
        needsStop: sql.startsWith('-- Needs a stop: '),
        isResumable: sql.startsWith('-- Resumable: '),
      }
    })
}

/** Prisma's advisory lock for migrations: only one of the two tools runs at a time. */
const migrationLock = 72_707_369
const lockWaitMs = 60_000
const lockPollMs = 200

async function withMigrationLock<T>(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const session = { ...sessionConfigOf(databaseUrl), fallback_application_name: migrateName }
  const client = new pg.Client(session)
  // A broken connection also fails the running query.
  client.on('error', () => undefined)
  await connectOrExplain(client)
  try {
    await requireSettings(client)
    await pinOwnerSession(client)
    await takeMigrationLock(client)
    return await work(client)
  } finally {
    // Ends the session and releases the lock.
    await client.end()
  }
}

/** Polls: a session that waits inside a statement would block CREATE INDEX CONCURRENTLY of the lock's holder. */
async function takeMigrationLock(client: pg.Client): Promise<void> {
  for (let waitedMs = 0; waitedMs < lockWaitMs; waitedMs += lockPollMs) {
    const { rows } = await client.query<{ taken: boolean }>(
      'SELECT pg_catalog.pg_try_advisory_lock($1::pg_catalog.int8) AS taken',
      [migrationLock],
    )
    if (rows[0]!.taken) return
    await delay(lockPollMs)
  }
  throw new Error(
    `Another migration of this database has run for ${lockWaitMs / 1000} s: try again later`,
  )
}

async function createHistory(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ exists: boolean; others: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists, EXISTS (
       SELECT FROM pg_class c WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
         AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = c.oid AND deptype = 'e')
     ) AS others`,
  )
  if (rows[0]!.exists) return
  if (rows[0]!.others) {
    throw new Error(
      'The database has tables but no migration history: it belongs to another application',
    )
  }
  await client.query(
    `CREATE TABLE _prisma_migrations (
       id VARCHAR(36) PRIMARY KEY NOT NULL,
       checksum VARCHAR(64) NOT NULL,
       finished_at TIMESTAMPTZ,
       migration_name VARCHAR(255) NOT NULL,
       logs TEXT,
       rolled_back_at TIMESTAMPTZ,
       started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
       applied_steps_count INTEGER NOT NULL DEFAULT 0
     )`,
  )
}

/** Records interrupted runs of resumable migrations as rolled back: nobody else runs them, and the next run continues. */
const forgetInterrupted = (client: pg.Client, migrations: readonly Migration[]): Promise<unknown> =>
  client.query(
    `UPDATE _prisma_migrations SET rolled_back_at = now()
     WHERE migration_name = ANY ($1) AND finished_at IS NULL AND rolled_back_at IS NULL`,
    [migrations.filter(({ isResumable }) => isResumable).map(({ name }) => name)],
  )

/** The checksums of the applied migrations by name. */
async function readApplied(client: pg.Client): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ name: string; checksum: string; finished: boolean }>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
     FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
  )
  const failed = rows.find(({ finished }) => !finished)
  if (failed) {
    throw new Error(
      `Migration ${failed.name} failed earlier; the column logs of _prisma_migrations says why. Fix the cause, ` +
        `then run: node tools/migrate.ts --rolled-back ${failed.name}`,
    )
  }
  return new Map(rows.map(({ name, checksum }) => [name, checksum]))
}

function requireUnchanged({ name, checksum }: Migration, applied: ReadonlyMap<string, string>) {
  const recorded = applied.get(name)
  if (recorded === undefined || recorded === checksum) return
  throw new Error(
    `Migration ${name} was changed after it was applied: its SHA-256 is ${checksum}, recorded is ${recorded}. ` +
      'Restore the file, and put the change into a new migration',
  )
}

/**
 * Runs a migration as one script. PostgreSQL runs several statements as one transaction; a single DO block may commit in
 * between.
 */
async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  const id = randomUUID()
  await client.query(
    'INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)',
    [id, checksum, name],
  )
  try {
    await client.query(sql)
  } catch (error) {
    const logs = `Migration ${name} failed: ${describe(error, sql)}`
    // If this fails too, the row has no logs, but the next run still refuses it.
    await client
      .query('UPDATE _prisma_migrations SET logs = $2 WHERE id = $1', [id, logs])
      .catch(() => undefined)
    throw new Error(logs, { cause: error })
  }
  await client.query(
    'UPDATE _prisma_migrations SET finished_at = clock_timestamp(), applied_steps_count = 1 WHERE id = $1',
    [id],
  )
}

function describe(error: unknown, sql: string): string {
  if (!(error instanceof pg.DatabaseError)) return String(error)
  const { code, message, detail, position } = error
  const place = position ? `, line ${sql.slice(0, Number(position)).split('\n').length}` : ''
  return `${message} (SQLSTATE ${code}${place})${detail ? `. ${detail}` : ''}`
}
