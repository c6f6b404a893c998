import { describe, expect, test } from '@jest/globals'
import { formerMigrations } from './former-migrations.ts'
import { migrate } from './migrations.ts'
import {
  prisma,
  withDatabase,
  query,
  writeMigrations,
  migrations,
  readHistory,
  sqlOf,
} from './support/databases.ts'

describe('a database with the former migrations', () => {
  const names = Object.keys(formerMigrations)

  /** A folder with the migrations that replace the former ones, and no later ones. */
  const writeSquashed = () =>
    writeMigrations(Object.fromEntries(migrations.slice(0, 2).map((name) => [name, sqlOf(name)])))

  /** Gives a database the history of the former migrations, which create the same schema as the squashed ones. */
  async function makeFormer(url: string, kept: readonly string[]): Promise<void> {
    await migrate(url, writeSquashed())
    const rows = kept.map(
      (name) => `(gen_random_uuid(), '${formerMigrations[name]}', '${name}', now(), now(), 1)`,
    )
    await query(url, 'DELETE FROM _prisma_migrations')
    await query(
      url,
      `INSERT INTO _prisma_migrations
         (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ${rows.join()}`,
    )
  }

  test('gets the history of the squashed ones, and Prisma agrees', async () => {
    await withDatabase(async (url) => {
      await makeFormer(url, names)
      await query(
        url,
        `INSERT INTO _prisma_migrations (id, checksum, migration_name, rolled_back_at)
         VALUES ('x', '', '${names[3]}', now())`,
      )
      expect(await migrate(url)).toMatch(/^Replaced the history of the former migrations\.\n/)
      expect(prisma(url, 'status')).toContain('Database schema is up to date!')
      expect(await readHistory(url)).toHaveLength(migrations.length)
      expect(await migrate(url)).toBe('No pending migrations to apply.\n')
    })
  })

  test('keeps its later migrations, and gets the new ones', async () => {
    await withDatabase(async (url) => {
      await makeFormer(url, names)
      await query(
        url,
        `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
         VALUES ('later', '', '20261201000000_later', now())`,
      )
      await migrate(url)
      expect((await readHistory(url)).map(({ name }) => name)).toContain('20261201000000_later')
    })
  })

  test('that has only some of them is refused, with the version to migrate with first', async () => {
    await withDatabase(async (url) => {
      await makeFormer(url, names.slice(0, -1))
      await expect(migrate(url)).rejects.toThrow(
        `has 29 of the 30 migrations that this version has replaced: ${names.at(-1)} is missing. ` +
          `Migrate it first with the last version that has ${names.at(-1)}`,
      )
      expect(await readHistory(url)).toHaveLength(29)
    })
  })

  test('that had other SQL under one of their names is refused', async () => {
    await withDatabase(async (url) => {
      await makeFormer(url, names)
      await query(
        url,
        `UPDATE _prisma_migrations SET checksum = 'other' WHERE migration_name = '${names[5]}'`,
      )
      await expect(migrate(url)).rejects.toThrow(`Migration ${names[5]} of this database`)
      expect(await readHistory(url)).toHaveLength(30)
    })
  })
})
