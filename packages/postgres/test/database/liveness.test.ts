import { neededPostgres, openDatabase, type Database } from '@hosting/postgres/database'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startTcpProxy, type TcpProxy } from '../../../../test/support/tcp-proxy.ts'
import { until } from '../../../../test/support/until.ts'
import { useDatabase } from '../support/database.ts'

const direct = useDatabase()
let proxy: TcpProxy
let database: Database
beforeAll(async () => {
  proxy = await startTcpProxy(() => direct.url)
  const timeouts = { silentMs: 600, statementMs: 500, acquireMs: 300 }
  database = openDatabase(proxy.url, { connectionsMax: 2, timeouts, onError: () => undefined })
})
afterAll(async () => {
  proxy.restore()
  await database.close()
  await proxy.close()
})

const isTrue = (value: boolean): boolean => value
const isFalse = (value: boolean): boolean => !value

test('unused pools and pools whose connections all work are alive', async () => {
  const needed = neededPostgres(database)
  expect(await needed.responds()).toBe(true)
  expect(await needed.acceptsConnections()).toBe(true)
})

test('pools whose connections are all busy are alive while they receive responses', async () => {
  const stopping = new AbortController()
  const works = [database.pool, database.pool, database.hotPool!, database.hotPool!].map(
    async (pool) => {
      while (!stopping.signal.aborted)
        await pool.query('SELECT pg_sleep(0.1)').catch(() => undefined)
    },
  )
  for (let time = 0; time < 10; time++) expect(await neededPostgres(database).responds()).toBe(true)
  stopping.abort()
  await Promise.all(works)
})

test('pools whose connections are dead and not replaced are not alive if PostgreSQL accepts connections', async () => {
  const needed = neededPostgres(database)
  await Promise.all([database.pool, database.hotPool!].map((pool) => pool.query('SELECT 1')))
  const pools = [database.pool, database.hotPool!]
  for (const pool of pools) Object.assign(pool, { newClient: () => undefined })
  proxy.silence()
  await until(needed.responds, isFalse)
  expect(await needed.acceptsConnections()).toBe(true)
  for (const pool of pools) Reflect.deleteProperty(pool, 'newClient')
  await until(needed.responds, isTrue)
})

test('during an outage, PostgreSQL does not count as accepting connections', async () => {
  proxy.sever()
  const needed = neededPostgres(database)
  await until(needed.acceptsConnections, isFalse)
  await until(needed.responds, isFalse)
  proxy.restore()
  await until(needed.responds, isTrue)
})
