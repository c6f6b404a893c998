import { listenToKeyChanges } from '@hosting/postgres/api-keys'
import {
  connectDirectly,
  openDatabase,
  silenceCheckName,
  type Database,
} from '@hosting/postgres/database'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startTcpProxy, type TcpProxy } from '../../../../test/support/tcp-proxy.ts'
import { until } from '../../../../test/support/until.ts'
import { useDatabase } from '../support/database.ts'

const direct = useDatabase()
let proxy: TcpProxy
let database: Database
/** How often the server was asked for which sessions it works. */
let questions = 0
/** How many connections were opened to ask it. */
let askers = 0
beforeAll(async () => {
  proxy = await startTcpProxy(() => direct.url, {
    onSent: (_client, chunk) => {
      if (chunk.includes('pg_stat_activity')) questions += 1
      if (chunk.includes(silenceCheckName)) askers += 1
    },
  })
  const timeouts = { silentMs: 600 }
  database = openDatabase(proxy.url, { connectionsMax: 3, timeouts, onError: () => undefined })
})
afterAll(async () => {
  await database.close()
  await proxy.close()
})

const fails = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => false,
    () => true,
  )
const isTrue = (value: boolean): boolean => value

test('pools whose connections stop responding, idle or busy, recover while new connections work', async () => {
  const pools = [database.pool, database.hotPool!]
  const used = await Promise.all(
    pools.flatMap((pool) => [pool.connect(), pool.connect(), pool.connect()]),
  )
  for (const client of used.slice(1, 5)) client.release()
  proxy.silence()
  const failed = Promise.all(
    [used[0]!, used[5]!]
      .map((client) => client.query('SELECT 1').finally(() => client.release(true)))
      .map(fails),
  )
  expect(await failed).toEqual([true, true])
  for (const pool of pools) {
    const { rows } = await pool.query('SELECT 1 AS one')
    expect(rows).toEqual([{ one: 1 }])
    expect(pool.closingCount).toBe(0)
  }
}, 14_000)

test('a listening connection is replaced, and reports that changes may have been missed', async () => {
  const notes: string[] = []
  const listener = listenToKeyChanges(
    { directUrl: proxy.url, lineage: database.lineage },
    {
      changed: () => undefined,
      disconnected: () => notes.push('disconnected'),
      listening: () => notes.push('listening'),
    },
  )
  await until(async () => notes.length === 1, isTrue)
  proxy.silence()
  await until(async () => notes.length === 3, isTrue)
  expect(notes).toEqual(['listening', 'disconnected', 'listening'])
  await listener.close()
})

test('a dedicated session fails', async () => {
  const session = await connectDirectly(database, 300_000)
  proxy.silence()
  expect(await fails(session.query('SELECT 1'))).toBe(true)
  await session.end()
})

test('a connection with a running statement is kept, however long the statement takes', async () => {
  const holder = await direct.pool.connect()
  await holder.query('BEGIN; LOCK TABLE service_settings IN ACCESS EXCLUSIVE MODE')
  const waiting = database.pool.query('SELECT count(*)::int FROM service_settings')
  const before = questions
  await until(async () => questions >= before + 3, isTrue)
  await holder.query('ROLLBACK')
  holder.release()
  await expect(waiting).resolves.toMatchObject({ rowCount: 1 })
})

test('after a time in which no connection works, old or new, pools recover although their questions got no answer', async () => {
  const held = await database.pool.connect()
  const startedAskers = askers
  proxy.silence({ connections: 'all' })
  const lost = fails(held.query('SELECT 1').finally(() => held.release(true)))
  await until(async () => askers > startedAskers, isTrue)
  proxy.admit()
  const returnedMs = performance.now()
  expect(await lost).toBe(true)
  await expect(database.pool.query('SELECT 1')).resolves.toMatchObject({ rowCount: 1 })
  await expect(database.hotPool!.query('SELECT 1')).resolves.toMatchObject({ rowCount: 1 })
  expect(performance.now() - returnedMs).toBeLessThan(10_000)
})
