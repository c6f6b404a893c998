import { inTransaction, RolledBack, sessionConfigOf } from '@hosting/postgres/database'
import { beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { useDatabase } from '../support/database.ts'

const database = useDatabase()
beforeAll(async () => {
  await database.pool.query('CREATE TABLE written (name text)')
})

const failing = 'SELECT 1 / 0'
const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'committed',
    (error: unknown) => error,
  )

describe('a transaction whose failed statement was ignored is not reported as committed', () => {
  test("in a transaction of Prisma's", async () => {
    const work = database.prisma.$transaction(async (tx) => {
      await tx.$executeRawUnsafe(`INSERT INTO written VALUES ('by Prisma')`)
      await tx.$executeRawUnsafe(failing).catch(() => undefined)
    })
    expect(await failureOf(work)).toBeInstanceOf(RolledBack)
  })

  test("on a pool's connection", async () => {
    const client = await database.pool.connect()
    await client.query(`BEGIN; INSERT INTO written VALUES ('by a pool')`)
    await client.query(failing).catch(() => undefined)
    const failure = await failureOf(client.query('COMMIT'))
    client.release()
    expect(failure).toBeInstanceOf(RolledBack)
  })

  test('on a connection of its own', async () => {
    const client = new pg.Client(sessionConfigOf(database.url))
    await client.connect()
    const work = inTransaction(client, async () => {
      await client.query(`INSERT INTO written VALUES ('alone')`)
      await client.query(failing).catch(() => undefined)
    })
    const failure = await failureOf(work)
    await client.end()
    expect(failure).toBeInstanceOf(RolledBack)
  })

  test('and nothing of it is stored', async () => {
    expect((await database.pool.query('SELECT name FROM written')).rows).toEqual([])
  })
})
