import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { testEnvironment } from '../../test/support/environment.ts'
import { administerServer } from '../../test/support/own-stack.ts'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { root, runTool } from '../run.ts'

export const prisma = (url: string, ...args: string[]): string =>
  runTool('prisma', ['migrate', ...args], { DATABASE_URL: url })

/** Runs a test with an empty database. */
export async function withDatabase(work: (url: string) => Promise<void>): Promise<void> {
  const name = `hosting_test_migrations_${randomUUID().replaceAll('-', '')}`
  const url = new URL(testEnvironment()['DATABASE_URL']!)
  url.pathname = `/${name}`
  await administerServer(`CREATE DATABASE ${name}`)
  try {
    await work(url.href)
  } finally {
    await administerServer(`DROP DATABASE ${name} WITH (FORCE)`)
  }
}

export async function query<Row extends pg.QueryResultRow>(
  url: string,
  sql: string,
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

/** Creates a folder of migrations, or adds to it. */
export function writeMigrations(
  sqlByName: Readonly<Record<string, string>>,
  to = makeTemporaryFolder(),
) {
  for (const [name, sql] of Object.entries(sqlByName)) {
    mkdirSync(join(to, name), { recursive: true })
    writeFileSync(join(to, name, 'migration.sql'), sql)
  }
  return to
}

export const folderOfMigrations = join(root, 'prisma/migrations')

/** The names in prisma/migrations. The first two replace the former ones. */
export const migrations = readdirSync(folderOfMigrations)
  .filter((name) => /^\d/.test(name))
  .toSorted()

export const readHistory = (url: string) =>
  query(
    url,
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished, rolled_back_at, logs,
       applied_steps_count AS steps, length(id) AS id_length, finished_at >= started_at AS in_order
     FROM _prisma_migrations ORDER BY started_at, migration_name`,
  )

export const sqlOf = (name: string): string =>
  readFileSync(join(folderOfMigrations, name, 'migration.sql'), 'utf8')
