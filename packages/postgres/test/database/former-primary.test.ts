import {
  connectDirectly,
  isDatabaseUnavailable,
  openDatabase,
  readDatabaseState,
  readDurability,
  type Database,
} from '@hosting/postgres/database'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { execFileSync } from 'node:child_process'
import { readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { startTcpProxy, type TcpProxy } from '../../../../test/support/tcp-proxy.ts'
import { makeTemporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { until } from '../../../../test/support/until.ts'
import { startPostgres } from '../../../../tools/local-stack/postgres.ts'
import type { RunningServer } from '../../../../tools/local-stack/server.ts'
import { failureOf } from '../support/database.ts'

/** A primary, and a copy of it that was promoted while the primary was away. Both accept writes. */
let former: RunningServer
let promoted: RunningServer
/** Where the address leads that the process knows. */
let current: RunningServer
let proxy: TcpProxy
let database: Database

const dataOf = (directory: string): string =>
  realpathSync(
    join(
      directory,
      readdirSync(directory).find((name) => /^postgres-\d+$/.test(name))!,
    ),
  )

const start = (directory: string) => startPostgres({ directory, durable: false })

beforeAll(async () => {
  const [formerFolder, promotedFolder] = [makeTemporaryFolder(), makeTemporaryFolder()]
  const first = await start(formerFolder)
  await administer(first, 'CREATE TABLE written (number integer)')
  await first.stop()
  await (await start(promotedFolder)).stop()
  const [from, to] = [dataOf(formerFolder), dataOf(promotedFolder)]
  execFileSync('sh', [
    '-c',
    'rm -rf "$2"/* && cp -a "$1"/. "$2" && cp -a "$1/PG_VERSION" "$2/standby.signal"',
    'sh',
    from,
    to,
  ])
  former = await start(formerFolder)
  promoted = await start(promotedFolder)
  await administer(promoted, 'SELECT pg_promote()')
  current = promoted
  proxy = await startTcpProxy(() => current.url())
}, 120_000)
afterAll(async () => {
  await proxy?.close()
  await former?.stop()
  await promoted?.stop()
})
beforeEach(() => {
  database = openDatabase(proxy.url, { connectionsMax: 2, onError: () => undefined })
})
afterEach(() => database.close())

async function administer(server: RunningServer, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: server.url() })
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}

function lead(server: RunningServer): void {
  current = server
  proxy.reset()
}

const write = () => database.pool.query('INSERT INTO written VALUES (1)')

const countAt = async (server: RunningServer): Promise<number> => {
  const { rows } = await administer(server, 'SELECT count(*)::int AS count FROM written')
  return (rows[0] as { count: number }).count
}

test('a former primary is refused: nothing is written to it, and the process is not ready', async () => {
  lead(promoted)
  await write()
  const before = await countAt(former)

  lead(former)
  const failure = await until(
    () => failureOf(write()),
    ({ message }) => message.includes('older'),
  )
  const byPrisma = await failureOf(database.prisma.apiKey.findMany())
  expect(byPrisma.message).toContain('older')
  for (const each of [failure, byPrisma]) expect(isDatabaseUnavailable(each)).toBe(true)
  expect((await failureOf(connectDirectly(database, 1_000))).message).toContain('older')
  expect(await readDatabaseState(database)).toMatchObject({ isReachable: false })
  expect(await countAt(former)).toBe(before)
  // The alert about two primaries depends on it.
  expect((await readDurability(database)).primaries).toHaveLength(2)

  lead(promoted)
  await until(
    () => write().catch(() => undefined),
    (result) => result !== undefined,
  )
})

test('sessions at the former primary end once the process reaches the promoted server', async () => {
  lead(former)
  await write()
  const before = await countAt(former)

  current = promoted
  const sleeping = database.pool.query('SELECT pg_sleep(0.2)')
  await write()
  await sleeping
  for (let count = 0; count < 4; count++) await write()
  expect(await countAt(former)).toBe(before)
})
