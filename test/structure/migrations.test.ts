import { describe, expect, test } from '@jest/globals'
import { readSources } from './sources.ts'

/**
 * What a migration must not do while the release before it runs on the same database: end what that uses, or hold
 * a lock for as long as a table is read or written. docs/operations.md says what to do instead.
 */
const dangers: readonly { readonly name: string; readonly pattern: RegExp }[] = [
  { name: 'drops a column', pattern: /\bDROP\s+COLUMN\b/i },
  { name: 'drops a table', pattern: /\bDROP\s+TABLE\b/i },
  { name: 'renames', pattern: /\bRENAME\s+(TO|COLUMN|VALUE|CONSTRAINT|"?\w+"?\s+TO)\b/i },
  // A time may become more exact: no row or index is written anew for it.
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
    name: 'adds a constraint that is checked at once',
    pattern: /\bADD\s+CONSTRAINT\b(?![^;]*\bNOT\s+VALID\b)/i,
  },
  {
    name: 'makes an index under a lock',
    pattern: /\bCREATE\s+(UNIQUE\s+)?INDEX\s+(?!CONCURRENTLY\b)/i,
  },
  { name: 'drops an index under a lock', pattern: /\bDROP\s+INDEX\s+(?!CONCURRENTLY\b)/i },
  { name: 'rewrites rows', pattern: /^\s*(UPDATE|DELETE\s+FROM)\s/im },
  { name: 'locks a table', pattern: /^\s*(LOCK|TRUNCATE|VACUUM\s+FULL|CLUSTER)\b/im },
]

/** They ran before anything else did: there was no release before 0.1.0. */
const beforeFirstRelease: Readonly<Record<string, readonly string[]>> = {
  '20261120100000_gate_audit_idempotency': ['makes an index under a lock'],
  '20261120200000_retention_and_history': [
    'makes an index under a lock',
    'drops an index under a lock',
  ],
  '20261121000000_lanes': ['makes an index under a lock', 'drops an index under a lock'],
  '20261121000000_sessions': ['drops a column', 'makes an index under a lock'],
  '20261121100000_device_login': [
    'renames',
    'makes an index under a lock',
    'drops an index under a lock',
  ],
  '20261121110000_dead_deliveries': [
    'adds a constraint that is checked at once',
    'makes an index under a lock',
    'drops an index under a lock',
    'rewrites rows',
  ],
  '20261124200000_answers_as_written': ['changes a type'],
}

const first = new Set(['20261120000000_tables', '20261120000001_partitions_and_rules'])

/** What is dangerous in a migration. A table that it makes itself nobody uses yet; what a function does is run later. */
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

describe('migrations', () => {
  test('the release before goes on while they run, and on what they made', async () => {
    const migrations = await readSources('prisma/migrations/*/migration.sql')
    expect(migrations.length).toBeGreaterThan(9)
    const found = migrations
      .map(({ path, text }) => [path.split('/')[2]!, findDangers(text)] as const)
      .filter(([name, names]) => names.length > 0 && !first.has(name))
    expect(Object.fromEntries(found)).toEqual(beforeFirstRelease)
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
      'adds a constraint that is checked at once',
      'ALTER TABLE users ADD CONSTRAINT a CHECK (true)',
    ],
    ['makes an index under a lock', 'CREATE UNIQUE INDEX a ON users (name)'],
    ['drops an index under a lock', 'DROP INDEX "users_tenant_id_idx"'],
    ['rewrites rows', '-- All of them.\nUPDATE users SET name = name'],
    ['locks a table', 'TRUNCATE users'],
  ])('one that %s is found', (name, sql) => {
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
  ])('one that only adds is let through: %s', (sql) => {
    expect(findDangers(sql)).toEqual([])
  })
})
