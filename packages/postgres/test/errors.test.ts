import { isDatabaseUnavailable, isUniqueViolation, openDatabase } from '@hosting/postgres'
import { afterAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useDatabase } from './support/database.ts'
import { makeTenant } from './support/fixtures.ts'

const database = useDatabase()
const nowhere = openDatabase('postgresql://postgres@127.0.0.1:1/none', { onError: () => undefined })
afterAll(() => nowhere.close())

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => {
      throw new Error('it did not fail')
    },
    (error: unknown) => error,
  )

/** Ends the connection that runs a statement, as a server that shuts down does. */
async function terminate(marker: string): Promise<void> {
  for (;;) {
    const { rowCount } = await database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE query LIKE '%${marker}%' AND state = 'active' AND pid <> pg_backend_pid()`,
    )
    if (rowCount) return
  }
}

describe('a duplicate', () => {
  test('is known, by way of Prisma, of raw SQL in Prisma, and of the pool', async () => {
    const id = await makeTenant(database)
    const { prisma, pool } = database
    const insert = `INSERT INTO tenants (id, slug, name) VALUES ('${id}', 'x', 'Acme')`
    const failures = [
      failureOf(prisma.tenant.create({ data: { id, slug: 'y', name: 'Acme' } })),
      failureOf(prisma.tenant.create({ data: { id: randomUUID(), slug: id, name: 'Acme' } })),
      failureOf(prisma.$executeRawUnsafe(insert)),
      failureOf(pool.query(insert)),
    ]
    for (const failure of await Promise.all(failures)) {
      expect(isUniqueViolation(failure)).toBe(true)
      expect(isDatabaseUnavailable(failure)).toBe(false)
    }
  })
})

describe('a database that is away', () => {
  test('is known, by way of Prisma and of the pool', async () => {
    const failures = [
      failureOf(nowhere.prisma.tenant.count()),
      failureOf(nowhere.prisma.$queryRaw`SELECT 1`),
      failureOf(nowhere.prisma.$executeRaw`DELETE FROM tenants`),
      failureOf(nowhere.prisma.$transaction((tx) => tx.tenant.count())),
      failureOf(nowhere.pool.query('SELECT 1')),
    ]
    for (const failure of await Promise.all(failures)) {
      expect(isDatabaseUnavailable(failure)).toBe(true)
      expect(isUniqueViolation(failure)).toBe(false)
    }
  })

  test('is known when it goes away in the middle of a statement', async () => {
    const marker = `marker-${randomUUID()}`
    const statement = `SELECT pg_sleep(30) /* ${marker} */`
    const byPool = failureOf(database.pool.query(statement))
    await terminate(marker)
    expect(isDatabaseUnavailable(await byPool)).toBe(true)
    const byPrisma = failureOf(database.prisma.$executeRawUnsafe(statement))
    await terminate(marker)
    expect(isDatabaseUnavailable(await byPrisma)).toBe(true)
  })
})

describe('anything else', () => {
  test('is neither', async () => {
    const failures = await Promise.all([
      failureOf(database.pool.query('SELECT nonsense')),
      failureOf(database.pool.query(`SELECT 'x'::uuid`)),
      failureOf(database.prisma.$queryRawUnsafe('SELECT 1 / 0')),
      failureOf(database.prisma.tenant.delete({ where: { id: randomUUID() } })),
    ])
    for (const failure of [...failures, new Error('no'), 'text', null, undefined, {}]) {
      expect(isUniqueViolation(failure)).toBe(false)
      expect(isDatabaseUnavailable(failure)).toBe(false)
    }
  })
})
