import { describe, expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { root } from '../../tools/run.ts'
import { readSources } from './sources.ts'

/**
 * A migration must not break the previous release, which runs on the same database meanwhile: it must not remove
 * what that release uses, or hold a lock while a table is read or written. Nor may it end its own transaction.
 * docs/operations.md describes the alternatives.
 */
const dangers: readonly { readonly name: string; readonly pattern: RegExp }[] = [
  { name: 'drops a column', pattern: /\bDROP\s+COLUMN\b/i },
  { name: 'drops a table', pattern: /\bDROP\s+TABLE\b/i },
  { name: 'renames', pattern: /\bRENAME\s+(TO|COLUMN|VALUE|CONSTRAINT|"?\w+"?\s+TO)\b/i },
  // Increasing the precision of a timestamp rewrites no rows or indexes.
  {
    name: 'changes a type',
    pattern: /\bALTER\s+COLUMN\s+\S+\s+(SET\s+DATA\s+)?TYPE\b(?!\s+TIMESTAMPTZ\(6\))/i,
  },
  { name: 'requires a column', pattern: /\bSET\s+NOT\s+NULL\b/i },
  {
    name: 'adds a required column without a default',
    pattern: /\bADD\s+COLUMN\s(?![^,;]*\bDEFAULT\b)[^,;]*\bNOT\s+NULL\b/i,
  },
  {
    name: 'adds a constraint that is checked immediately',
    pattern: /\bADD\s+CONSTRAINT\b(?![^;]*\bNOT\s+VALID\b)/i,
  },
  {
    name: 'creates an index under a lock',
    pattern: /\bCREATE\s+(UNIQUE\s+)?INDEX\s+(?!CONCURRENTLY\b)/i,
  },
  { name: 'drops an index under a lock', pattern: /\bDROP\s+INDEX\s+(?!CONCURRENTLY\b)/i },
  { name: 'rewrites rows', pattern: /^\s*(UPDATE|DELETE\s+FROM)\s/im },
  { name: 'controls the transaction', pattern: /^\s*(BEGIN|START TRANSACTION|COMMIT|ROLLBACK)\b/i },
  { name: 'locks a table', pattern: /^\s*(LOCK|TRUNCATE|VACUUM\s+FULL|CLUSTER)\b/im },
]

/** The dangerous statements of a migration. New tables are exempt, and so are function bodies, which run later. */
function findDangers(sql: string): string[] {
  const made = [...sql.matchAll(/CREATE TABLE (?:IF NOT EXISTS )?"?(\w+)"?/g)].map((m) => m[1]!)
  const statements = sql
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\$\$[^]*?\$\$/g, '')
    .split(';')
    .filter((statement) => !made.some((table) => concerns(statement, table)))
  return dangers
    .filter(({ pattern }) => statements.some((statement) => pattern.test(statement)))
    .map(({ name }) => name)
}

const concerns = (statement: string, table: string): boolean =>
  new RegExp(`\\b(ALTER TABLE|ON|UPDATE|INTO)\\s+(ONLY\\s+)?"?${table}"?`, 'i').test(statement)

/** The problem with the date in a migration's name, which decides the order: a future date would stay last. */
function checkDate(name: string, addedAt: Date): string | undefined {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)_/.exec(name) ?? []
  const [year, month, day, hour, minute, second] = parts
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (Number.isNaN(date.getTime())) return `${name} does not begin with a UTC time`
  if (date > addedAt) return `${name} is dated after ${addedAt.toISOString()}, when it was added`
  return undefined
}

/** The time of the commit that added a file, or now if it is uncommitted. */
function timeOfAddition(path: string): Date {
  const args = ['log', '--diff-filter=A', '--format=%cI', '--max-count=1', '--', path]
  const { stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  return stdout?.trim() ? new Date(stdout.trim()) : new Date()
}

describe('migrations', () => {
  test('do not break the previous release while they run and afterwards', async () => {
    const migrations = await readSources('prisma/migrations/*/migration.sql')
    expect(migrations.length).toBeGreaterThan(1)
    const found = migrations
      .map(({ path, text }) => [path, findDangers(text)] as const)
      .filter(([, names]) => names.length > 0)
    expect(found).toEqual([])
  })

  test('are not dated after the commit that added them', async () => {
    const migrations = await readSources('prisma/migrations/*/migration.sql')
    const faults = migrations.map(({ path }) =>
      checkDate(path.split('/')[2]!, timeOfAddition(path)),
    )
    expect(faults.filter((fault) => fault !== undefined)).toEqual([])
  })

  test.each([
    ['20261122120001_one_second_late', 'is dated after 2026-11-22T12:00:00.000Z'],
    ['20261322120000_month_13', 'does not begin with a UTC time'],
    ['add_column', 'does not begin with a UTC time'],
  ])('the name %s %s', (name, fault) => {
    const noon = new Date('2026-11-22T12:00:00Z')
    expect(checkDate(name, noon)).toContain(fault)
    expect(checkDate('20261122120000_on_time', noon)).toBeUndefined()
  })

  test.each([
    ['drops a column', 'ALTER TABLE "users" DROP COLUMN "name"'],
    ['drops a table', 'DROP TABLE users'],
    ['renames', 'ALTER TABLE users RENAME TO people'],
    ['renames', 'ALTER TABLE users RENAME COLUMN "name" TO "title"'],
    ['renames', 'ALTER TABLE users RENAME name TO title'],
    ['renames', `ALTER TYPE "role" RENAME VALUE 'a' TO 'b'`],
    ['changes a type', 'ALTER TABLE "users" ALTER COLUMN "name" SET DATA TYPE VARCHAR(9)'],
    ['requires a column', 'ALTER TABLE "users" ALTER COLUMN "email" SET NOT NULL'],
    ['adds a required column without a default', 'ALTER TABLE users ADD COLUMN "age" INT NOT NULL'],
    [
      'adds a constraint that is checked immediately',
      'ALTER TABLE users ADD CONSTRAINT a CHECK (true)',
    ],
    ['creates an index under a lock', 'CREATE UNIQUE INDEX a ON users (name)'],
    ['drops an index under a lock', 'DROP INDEX "users_tenant_id_idx"'],
    ['rewrites rows', '-- All of them.\nUPDATE users SET name = name'],
    ['controls the transaction', 'BEGIN'],
    ['locks a table', 'TRUNCATE users'],
  ])('one that %s is detected', (name, sql) => {
    expect(findDangers(`${sql};`)).toEqual([name])
  })

  test.each([
    'CREATE TABLE "notes" ("id" UUID NOT NULL);\nCREATE INDEX "n" ON "notes"("id");',
    'ALTER TABLE users ADD COLUMN nickname TEXT',
    'ALTER TABLE users ALTER COLUMN "seen_at" SET DATA TYPE TIMESTAMPTZ(6)',
    'ALTER TABLE users ADD COLUMN vip BOOLEAN NOT NULL DEFAULT false',
    'ALTER TABLE users ADD CONSTRAINT a CHECK (email IS NOT NULL) NOT VALID',
    'ALTER TABLE users VALIDATE CONSTRAINT a',
    'CREATE INDEX CONCURRENTLY a ON users (name)',
    'CREATE OR REPLACE FUNCTION f() RETURNS void LANGUAGE sql AS $$\n  DELETE FROM users\n$$',
  ])('one that only adds is accepted: %s', (sql) => {
    expect(findDangers(sql)).toEqual([])
  })
})
