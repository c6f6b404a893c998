import { describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { readFunctions } from './functions.ts'
import { migrate } from './migrations.ts'
import { copyWithFunctions, functionText, query, withDatabase } from './support/databases.ts'

/** Identifies the current version of each function, trigger and record of a database. */
const readVersions = async (url: string): Promise<ReadonlyMap<string, string>> => {
  const rows = await query<{ name: string; version: string }>(
    url,
    `SELECT 'function ' || proname AS name, xmin::text AS version FROM pg_proc
     WHERE pronamespace = 'public'::regnamespace
     UNION ALL
     SELECT 'trigger ' || tgname, xmin::text FROM pg_trigger WHERE NOT tgisinternal
     UNION ALL
     SELECT 'record ' || name, xmin::text FROM applied_functions`,
  )
  return new Map(rows.map(({ name, version }) => [name, version]))
}

/** What a change of functions created or replaced in a migrated database. */
async function namesChangedBy(url: string, change: () => Promise<unknown>): Promise<string[]> {
  const before = await readVersions(url)
  await change()
  const after = await readVersions(url)
  return [...after].filter(([name, version]) => before.get(name) !== version).map(([name]) => name)
}

const commented = (name: string): string => `-- Another comment.\n${functionText(name)}`

describe('migrate applies', () => {
  test('every function to a new database, and none to a database that has them', async () => {
    await withDatabase(async (url) => {
      const names = readFunctions(`${copyWithFunctions({})}/functions`).map(({ name }) => name)
      expect(await migrate(url)).toContain(
        `Applied functions:\n${names.map((name) => `  ${name}\n`).join('')}`,
      )
      expect(await namesChangedBy(url, () => migrate(url))).toEqual([])
    })
  })

  test('a function that changed, but neither the others nor its triggers', async () => {
    await withDatabase(async (url) => {
      await migrate(url)
      const folder = copyWithFunctions({ add_throttle: commented('add_throttle') })
      const changed = await namesChangedBy(url, async () => {
        expect(await migrate(url, folder)).toBe(
          'No pending migrations to apply.\nApplied functions:\n  add_throttle\n',
        )
      })
      expect(changed).toEqual(['function add_throttle', 'record add_throttle'])
    })
  })

  test('triggers that changed, but not their function', async () => {
    await withDatabase(async (url) => {
      await migrate(url)
      const sql = functionText('stamp_directory_change')
      const folder = copyWithFunctions({
        stamp_directory_change: sql.replace(
          '(OLD.name IS DISTINCT FROM NEW.name)',
          '(OLD.name <> NEW.name)',
        ),
      })
      const changed = await namesChangedBy(url, () => migrate(url, folder))
      expect(changed).not.toContain('function stamp_directory_change')
      expect(changed).toContain('trigger accounts_stamp')
    })
  })

  test('functions that call each other, in any order of their files', async () => {
    await withDatabase(async (url) => {
      const calling = (name: string, other: string) =>
        `CREATE OR REPLACE FUNCTION ${name}(x integer) RETURNS integer LANGUAGE sql AS $$
           SELECT CASE WHEN x > 0 THEN ${other}(x - 1) ELSE 7 END
         $$;\n`
      const folder = copyWithFunctions({ a: calling('a', 'z'), z: calling('z', 'a') })
      await migrate(url, folder)
      expect(await query(url, 'SELECT a(3)')).toEqual([{ a: 7 }])
    })
  })

  test('a function while a table of its unchanged triggers is being written', async () => {
    await withDatabase(async (url) => {
      await migrate(url)
      const writer = new pg.Client({ connectionString: url })
      await writer.connect()
      await writer.query('BEGIN; LOCK TABLE webhook_endpoints IN ROW EXCLUSIVE MODE')
      const folder = copyWithFunctions({ add_throttle: commented('add_throttle') })
      expect(await migrate(url, folder)).toContain('Applied functions:\n  add_throttle\n')
      await writer.end()
    })
  })
})

describe('migrate changes no function', () => {
  test.each([
    ['a syntax error', 'utc_text', 'CREATE OR REPLACE FUNCTION utc_text() RETURNS nothing;'],
    [
      'a body that calls a function that does not exist',
      'utc_text',
      functionText('utc_text').replace('to_char', 'to_nothing'),
    ],
    [
      'another result type',
      'uuid_v7',
      functionText('uuid_v7').replace('RETURNS uuid', 'RETURNS text').replace('::uuid', ''),
    ],
  ])('if one has %s', async (_, name, text) => {
    await withDatabase(async (url) => {
      await migrate(url)
      const folder = copyWithFunctions({ add_throttle: commented('add_throttle'), [name]: text })
      const changed = await namesChangedBy(url, () =>
        expect(migrate(url, folder)).rejects.toThrow(
          `prisma/functions/${name}.sql failed, and no function was changed`,
        ),
      )
      expect(changed).toEqual([])
      expect(await migrate(url)).toBe('No pending migrations to apply.\n')
    })
  })

  test('if a file does not define the function that it is named after', async () => {
    await withDatabase(async (url) => {
      const folder = copyWithFunctions({ other: functionText('utc_text') })
      await expect(migrate(url, folder)).rejects.toThrow(
        'prisma/functions/other.sql must define the function other and no other',
      )
    })
  })
})
