import { openDatabase, readDatabaseState, readDurability } from '@hosting/postgres/database'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { makeTemporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { until } from '../../../../test/support/until.ts'
import { startPostgres } from '../../../../tools/local-stack/postgres.ts'
import type { RunningServer } from '../../../../tools/local-stack/server.ts'

// A server of its own, because the setting applies to all databases of a server.
let server: RunningServer
let operator: pg.Client

beforeAll(async () => {
  server = await startPostgres({ directory: makeTemporaryFolder(), durable: false })
  operator = new pg.Client({ connectionString: server.url() })
  await operator.connect()
  await operator.query('CREATE TABLE written (number integer)')
}, 120_000)
afterAll(async () => {
  await operator?.end()
  await server?.stop()
})

/** Lets commits wait for a standby with this name, or for none if it is empty. */
async function setStandbys(name: string): Promise<void> {
  await operator.query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`)
  await operator.query('SELECT pg_reload_conf()')
  if (name !== '') await untilCommitsWait()
}

/** Commits until a commit waits, and ends that wait: a server applies the setting some time after it was told to. */
async function untilCommitsWait(): Promise<void> {
  const client = new pg.Client({ connectionString: server.url() })
  await client.connect()
  await client.query('SET synchronous_commit = on')
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const notices: unknown[] = []
  client.on('notice', (notice) => notices.push(notice))
  const endWait = async (): Promise<boolean> => {
    await operator.query(
      `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'SyncRep'`,
      [rows[0]!.pid],
    )
    return false
  }
  const commit = async (): Promise<number> => {
    const isCommitted = client.query('INSERT INTO written VALUES (0)').then(() => true)
    await until(() => Promise.race([isCommitted, endWait()]), Boolean)
    return notices.length
  }
  await until(commit, (waits) => waits > 0)
  await client.end()
}

test('the database does not count as writable while commits wait for a standby, and the metric says for how long', async () => {
  const database = openDatabase(server.url(), {
    setsSynchronousCommit: true,
    onError: () => undefined,
  })
  const state = () => readDatabaseState(database)
  expect(await state()).toMatchObject({ isReachable: true, isWritable: true, commitWaitMs: 0 })

  await setStandbys('absent')
  const write = database.pool.query('INSERT INTO written VALUES (1)')
  const waiting = await until(state, ({ isWritable }) => !isWritable)
  expect(waiting.isReachable).toBe(true)
  expect(waiting.commitWaitMs).toBeGreaterThan(5_000)
  expect((await readDurability(database)).commitWaitMs).toBeGreaterThan(5_000)

  await setStandbys('')
  await write
  expect(await until(state, ({ isWritable }) => isWritable)).toMatchObject({ commitWaitMs: 0 })
  await database.close()
})

test('the metric says so too while waiting commits occupy every connection', async () => {
  const database = openDatabase(server.url(), {
    connectionsMax: 1,
    setsSynchronousCommit: true,
    onError: () => undefined,
  })
  await setStandbys('absent')
  const write = 'INSERT INTO written VALUES (2)'
  const writes = [database.pool.query(write), database.hotPool!.query(write)]
  const { settings } = await until(
    () => readDurability(database),
    ({ commitWaitMs }) => commitWaitMs > 5_000,
  )
  expect(settings).toEqual({})

  await setStandbys('')
  await Promise.all(writes)
  await database.close()
})

test('sessions stay below the size of the pools however long commits wait for a standby', async () => {
  const connectionsMax = 2
  const database = openDatabase(server.url(), {
    connectionsMax,
    setsSynchronousCommit: true,
    timeouts: { acquireMs: 100, queryMs: 200, closeMs: 300, silentMs: 200 },
    onError: () => undefined,
  })
  await setStandbys('absent')
  const write = () => database.pool.query('INSERT INTO written VALUES (3)').catch(() => undefined)
  const counts: number[] = []
  const startedMs = performance.now()
  while (performance.now() - startedMs < 3_000) {
    await Promise.all(Array.from({ length: 2 * connectionsMax }, write))
    const { rows } = await operator.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity WHERE wait_event = 'SyncRep'`,
    )
    counts.push(rows[0]!.count)
  }
  expect(Math.max(...counts)).toBe(connectionsMax)

  await setStandbys('')
  await until(write, (result) => result !== undefined)
  await database.close()
})
