import { openDatabase } from '@hosting/postgres/database'
import { afterAll, beforeAll, describe } from '@jest/globals'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { migrate } from '../../../../tools/migrations.ts'
import { root } from '../../../../tools/run.ts'
import { startPostgres } from '../../../../tools/local-stack/postgres.ts'
import { useDatabase, type TestDatabase } from './database.ts'

/** Where Debian installs each major version. */
const debianFolder = '/usr/lib/postgresql'

/** Runs tests on the PostgreSQL of all other tests, and on each other major version that Debian has installed here. */
export function describeOnEachPostgres(tests: (database: TestDatabase) => void): void {
  describe('on the PostgreSQL of all tests', () => {
    tests(useDatabase())
  })
  const majors = globSync('*', { cwd: debianFolder }).toSorted()
  const others = majors.length === 0 ? describe.skip : describe
  others.each(
    majors.length === 0 ? ['of another version, because Debian has installed none'] : majors,
  )('on PostgreSQL %s', (major) => {
    tests(useDebianPostgres(major))
  })
}

/** Starts a server of its own for a test file, with a migrated database. */
function useDebianPostgres(major: string): TestDatabase {
  const database = {} as TestDatabase
  let stop = () => Promise.resolve()
  beforeAll(async () => {
    const folder = join(debianFolder, major, 'bin')
    const server = await startPostgres(
      { directory: `${root}.cache/test-postgres-${major}`, durable: false },
      () => Promise.resolve({ folder, major: Number(major) }),
    )
    stop = () => server.stop()
    const name = `hosting_test_${process.pid}`
    const administrator = openDatabase(server.url(), { onError: () => undefined })
    await administrator.pool.query(`CREATE DATABASE ${name}`)
    await migrate(server.url(name))
    const opened = openDatabase(server.url(name), { onError: () => undefined })
    Object.assign(database, opened, { url: server.url(name) })
    stop = async () => {
      await opened.close()
      await administrator.pool.query(`DROP DATABASE ${name} WITH (FORCE)`)
      await administrator.close()
      await server.stop()
    }
  })
  afterAll(() => stop())
  return database
}
