import { describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { until } from '../test/support/until.ts'
import { migrate, resolveFailed } from './migrations.ts'
import {
  prisma,
  withDatabase,
  query,
  writeMigrations,
  migrations,
  readHistory,
} from './support/databases.ts'

const describeHistoryTable = (url: string) =>
  query(
    url,
    `SELECT attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid)
     FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
     WHERE attrelid = '_prisma_migrations'::regclass AND attnum > 0 ORDER BY attnum`,
  )

describe('a migrated database', () => {
  test('has the same records as with Prisma', async () => {
    await withDatabase(async (ours) => {
      await withDatabase(async (prismas) => {
        expect(await migrate(ours)).toContain('All migrations have been successfully applied')
        prisma(prismas, 'deploy')
        expect(await readHistory(ours)).toEqual(await readHistory(prismas))
        expect(await describeHistoryTable(ours)).toEqual(await describeHistoryTable(prismas))
      })
    })
  })

  test('is up to date for prisma migrate status and deploy, and for the next run', async () => {
    await withDatabase(async (url) => {
      await migrate(url)
      expect(prisma(url, 'status')).toContain('Database schema is up to date!')
      expect(prisma(url, 'deploy')).toContain('No pending migrations to apply')
      expect(await migrate(url)).toBe('No pending migrations to apply.\n')
    })
  })

  test('lacks only the functions if Prisma migrated it', async () => {
    await withDatabase(async (url) => {
      prisma(url, 'deploy')
      expect(await migrate(url)).toContain('No pending migrations to apply.\n')
    })
  })

  test('gets the new migrations, in the order of their names', async () => {
    await withDatabase(async (url) => {
      const folder = writeMigrations({ '1_first': 'CREATE TABLE a (x int)' })
      await migrate(url, folder)
      writeMigrations({ '3_third': 'DROP TABLE b', '2_second': 'CREATE TABLE b (x int)' }, folder)
      expect(await migrate(url, folder)).toBe(
        'Applied:\n  2_second\n  3_third\nAll migrations have been successfully applied.\n',
      )
    })
  })
})

describe('is refused', () => {
  test('a database with the tables of another application', async () => {
    await withDatabase(async (url) => {
      await query(url, 'CREATE TABLE theirs (x int)')
      await expect(migrate(url)).rejects.toThrow('no migration history')
      expect(await query(url, `SELECT to_regclass('_prisma_migrations') AS history`)).toEqual([
        { history: null },
      ])
    })
  })

  test('a migration that was changed after it was applied', async () => {
    await withDatabase(async (url) => {
      const folder = writeMigrations({ '1_first': 'CREATE TABLE a (x int)' })
      await migrate(url, folder)
      writeMigrations({ '1_first': 'CREATE TABLE a (y int)', '2_next': 'SELECT 1' }, folder)
      await expect(migrate(url, folder)).rejects.toThrow('Migration 1_first was changed')
      expect(await readHistory(url)).toHaveLength(1)
    })
  })
})

describe('a migration that fails', () => {
  const broken = 'CREATE TABLE b (x int);\nSELECT x FROM nowhere;\n'

  const failOn = async (url: string) => {
    const folder = writeMigrations({ '1_good': 'CREATE TABLE a (x int)', '2_bad': broken })
    const failure =
      'Migration 2_bad failed: relation "nowhere" does not exist (SQLSTATE 42P01, line 2)'
    await expect(migrate(url, folder)).rejects.toThrow(failure)
    return folder
  }

  test('leaves only its record, with the reason', async () => {
    await withDatabase(async (url) => {
      await failOn(url)
      expect(await query(url, `SELECT to_regclass('a') AS a, to_regclass('b') AS b`)).toEqual([
        { a: 'a', b: null },
      ])
      expect((await readHistory(url))[1]).toMatchObject({
        name: '2_bad',
        finished: false,
        rolled_back_at: null,
        steps: 0,
        logs: expect.stringContaining('relation "nowhere" does not exist'),
      })
    })
  })

  test('is refused by the next run, here and by Prisma, until it is resolved', async () => {
    await withDatabase(async (url) => {
      const folder = await failOn(url)
      writeMigrations({ '2_bad': 'CREATE TABLE b (x int)' }, folder)
      await expect(migrate(url, folder)).rejects.toThrow('--rolled-back 2_bad')
      expect(() => prisma(url, 'deploy')).toThrow('P3009')
      await resolveFailed(url, '2_bad', 'rolled-back')
      expect(await migrate(url, folder)).toContain('Applied:\n  2_bad\n')
      expect(await migrate(url, folder)).toBe('No pending migrations to apply.\n')
    })
  })

  test('counts as applied once an operator resolves it', async () => {
    await withDatabase(async (url) => {
      const folder = await failOn(url)
      await resolveFailed(url, '2_bad', 'applied')
      expect(await migrate(url, folder)).toBe('No pending migrations to apply.\n')
      await expect(resolveFailed(url, '2_bad', 'applied')).rejects.toThrow('No migration 2_bad')
    })
  })
})

describe('concurrent runs', () => {
  test('apply each migration once', async () => {
    await withDatabase(async (url) => {
      const printed = await Promise.all([migrate(url), migrate(url), migrate(url)])
      expect(printed.filter((text) => text.startsWith('Applied'))).toHaveLength(1)
      expect((await readHistory(url)).map(({ steps }) => steps)).toEqual(migrations.map(() => 1))
    })
  })

  test('do not block CREATE INDEX CONCURRENTLY', async () => {
    await withDatabase(async (url) => {
      const folder = writeMigrations({ '1_table': 'CREATE TABLE a (x int)' })
      await migrate(url, folder)
      writeMigrations({ '2_index': 'CREATE INDEX CONCURRENTLY i ON a (x)' }, folder)
      const writer = new pg.Client({ connectionString: url })
      await writer.connect()
      await writer.query('BEGIN; INSERT INTO a VALUES (1)')
      const first = migrate(url, folder)
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database()
        AND query LIKE 'CREATE INDEX%' AND wait_event_type = 'Lock'`
      await until(
        () => query(url, waiting),
        (rows) => rows.length === 1,
      )
      const polling = `SELECT FROM pg_stat_activity WHERE datname = current_database()
        AND query LIKE '%advisory_lock%' AND query NOT LIKE '%pg_stat_activity%'`
      const second = migrate(url, folder)
      await until(
        () => query(url, polling),
        (rows) => rows.length === 1,
      )
      await writer.query('COMMIT')
      await writer.end()
      expect(await first).toContain('Applied:\n  2_index\n')
      expect(await second).toBe('No pending migrations to apply.\n')
    })
  })
})

test('PGOPTIONS limits how long a migration waits for a lock', async () => {
  await withDatabase(async (url) => {
    const folder = writeMigrations({ '1_table': 'CREATE TABLE a (x int)' })
    await migrate(url, folder)
    writeMigrations({ '2_column': 'ALTER TABLE a ADD COLUMN y int' }, folder)
    const reader = new pg.Client({ connectionString: url })
    await reader.connect()
    await reader.query('BEGIN; SELECT FROM a')
    process.env['PGOPTIONS'] = '-c lock_timeout=20'
    await expect(migrate(url, folder)).rejects.toThrow('SQLSTATE 55P03')
    delete process.env['PGOPTIONS']
    await reader.end()
  })
})
