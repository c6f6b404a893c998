import { randomUUID } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
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

/** Creates a folder with migrations, or adds to it. */
export function writeMigrations(
  sqlByName: Readonly<Record<string, string>>,
  to = makeTemporaryFolder(),
) {
  for (const [name, sql] of Object.entries(sqlByName)) {
    mkdirSync(join(to, 'migrations', name), { recursive: true })
    writeFileSync(join(to, 'migrations', name, 'migration.sql'), sql)
  }
  return to
}

/** The names in prisma/migrations. */
export const migrations = readdirSync(join(root, 'prisma/migrations'))
  .filter((name) => /^\d/.test(name))
  .toSorted()

export const readHistory = (url: string) =>
  query(
    url,
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished, rolled_back_at, logs,
       applied_steps_count AS steps, length(id) AS id_length, finished_at >= started_at AS in_order
     FROM _prisma_migrations ORDER BY started_at, migration_name`,
  )

/**
 * Copies the folder prisma with some functions in place of others.
 *
 * @param functions - the text of each file, by name.
 */
export function copyWithFunctions(functions: Readonly<Record<string, string>>): string {
  const folder = makeTemporaryFolder()
  cpSync(join(root, 'prisma'), folder, { recursive: true })
  for (const [name, sql] of Object.entries(functions)) {
    writeFileSync(join(folder, 'functions', `${name}.sql`), sql)
  }
  return folder
}

/** The text of a file of prisma/functions. */
export const functionText = (name: string): string =>
  readFileSync(join(root, 'prisma/functions', `${name}.sql`), 'utf8')
