import { checkTimeZone, connectDirectly, openDatabase, type Database } from '@hosting/postgres'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { makeOwnStack, type OwnStack } from '../../../test/support/own-stack.ts'
import { startPgbouncer, type Pgbouncer } from '../../../test/support/pgbouncer.ts'

let own: OwnStack
let pgbouncer: Pgbouncer
const opened: Database[] = []

const open = (url: string, directUrl?: string): Database => {
  const database = openDatabase(url, { directUrl, onError: () => undefined })
  opened.push(database)
  return database
}

beforeAll(async () => {
  own = await makeOwnStack()
  pgbouncer = await startPgbouncer(own.databaseUrl)
})
afterAll(async () => {
  await Promise.all(opened.map((database) => database.close()))
  await pgbouncer?.stop()
  await own?.remove()
})

describe('behind PgBouncer in transaction mode', () => {
  const pooled = () => open(pgbouncer.url(own.databaseUrl), own.databaseUrl)

  test('a database whose sessions are not in UTC is refused, with the statement that mends it', async () => {
    const name = new URL(own.databaseUrl).pathname.slice(1)
    const direct = open(own.databaseUrl)
    await direct.pool.query(`ALTER DATABASE "${name}" SET timezone TO 'America/New_York'`)
    // PgBouncer's connections are as they were when they were made.
    await pgbouncer.killAndRestart()
    const mend = `ALTER DATABASE "${name}" SET timezone TO 'UTC'`
    await expect(checkTimeZone(pooled())).rejects.toThrow(
      `The sessions of database ${name} are in time zone America/New_York: ${mend}`,
    )
    // A connection that says so itself is not concerned.
    await checkTimeZone(direct)
    await direct.pool.query(mend)
    await pgbouncer.killAndRestart()
    await checkTimeZone(pooled())
  })

  test('without the direct address nothing works, rather than some of it', async () => {
    const database = open(pgbouncer.url(own.databaseUrl))
    await expect(database.pool.query('SELECT 1')).rejects.toThrow('unsupported startup parameter')
  })

  test('a session of one’s own is had past it', async () => {
    const client = await connectDirectly(pooled(), 5_000)
    const { rows } = await client.query('SHOW statement_timeout')
    expect(rows).toEqual([{ statement_timeout: '5s' }])
    await client.end()
  })
})
