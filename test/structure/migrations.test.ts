import { describe, expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { readFunctions } from '../../tools/functions.ts'
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
    expect(migrations.length).toBeGreaterThan(0)
    const found = migrations
      .map(({ path, text }) => [path, findDangers(text)] as const)
      .filter(([, names]) => names.length > 0)
    expect(found).toEqual([])
  })

  test('contain no functions or triggers, and call no function that a new database gets later', async () => {
    const migrations = await readSources('prisma/migrations/*/migration.sql')
    const names = readFunctions(`${root}prisma/functions`).map(({ name }) => name)
    expect(names.length).toBeGreaterThan(40)
    const refused = new RegExp(
      `\\bCREATE\\s[\\w\\s]*\\b(?:FUNCTION|PROCEDURE|TRIGGER)\\b|\\b(?:${names.join('|')})\\s*\\(`,
      'gi',
    )
    const found = migrations.map(({ path, text }) => [
      path,
      ...(text.replaceAll(/--.*$/gm, '').match(refused) ?? []),
    ])
    expect(found.filter(([, ...faults]) => faults.length > 0)).toEqual([])
  })

  test('are not dated after the commit that added them', async () => {
    const migrations = await readSources('prisma/migrations/*/migration.sql')
    const faults = migrations.map(({ path }) =>
      checkDate(path.split('/')[2]!, timeOfAddition(path)),
    )
    expect(faults.filter((fault) => fault !== undefined)).toEqual([])
  })
})

describe('functions', () => {
  test('that run with the rights of their owner have a fixed search path and no public access', () => {
    const functions = readFunctions(`${root}prisma/functions`)
    const definers = functions.filter(({ definition }) => definition.includes('SECURITY DEFINER'))
    expect(definers.map(({ name }) => name)).toContain('drop_partition')
    const unsafe = definers.filter(
      ({ name, definition }) =>
        !definition.includes('SET search_path FROM CURRENT') ||
        !new RegExp(`^REVOKE EXECUTE ON FUNCTION ${name}\\(.*\\) FROM PUBLIC;$`, 'm').test(
          definition,
        ),
    )
    expect(unsafe.map(({ name }) => name)).toEqual([])
  })
})
