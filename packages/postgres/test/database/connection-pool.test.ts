import {
  isDatabaseUnavailable,
  sessionConfigOf,
  openDatabase,
  readDatabaseState,
  silenceCheckName,
  type Database,
  type Timeouts,
} from '@hosting/postgres/database'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { makePooledStack, type OwnStack } from '../../../../test/support/own-stack.ts'
import { startPgbouncer, type Pgbouncer } from '../../../../test/support/pgbouncer.ts'
import { until } from '../../../../test/support/until.ts'
import { failureOf } from '../support/database.ts'

/** The client gives up quickly, and the server not at all: correctness does not depend on the server's limits. */
const impatient = {
  acquireMs: 1_500,
  queryMs: 1_000,
  transactionMs: 500,
  statementMs: 0,
  lockMs: 0,
  idleInTransactionMs: 0,
} satisfies Partial<Timeouts>
const connectionsMax = 3

let own: OwnStack
let pgbouncer: Pgbouncer
const opened: Database[] = []
const locks: pg.Client[] = []

beforeAll(async () => {
  own = await makePooledStack()
  pgbouncer = await startPgbouncer(own.databaseUrl)
})
afterEach(async () => {
  await Promise.all(locks.splice(0).map((client) => client.end()))
  await Promise.all(opened.splice(0).map((database) => database.close()))
})
afterAll(async () => {
  await pgbouncer?.stop()
  await own?.remove()
})

const modes = [
  { mode: 'directly', open: (timeouts: Partial<Timeouts>) => openAt(own.databaseUrl, timeouts) },
  {
    mode: 'through PgBouncer',
    open: (timeouts: Partial<Timeouts>) =>
      openAt(pgbouncer.url(own.databaseUrl), timeouts, own.databaseUrl),
  },
] as const

function openAt(url: string, timeouts: Partial<Timeouts>, directUrl?: string): Database {
  const onError = () => undefined
  const database = openDatabase(url, { connectionsMax, directUrl, timeouts, onError })
  opened.push(database)
  return database
}

/** Holds a lock in a transaction of a session of the test's own until it is released. */
async function holdLock(statement: string): Promise<() => Promise<void>> {
  const client = new pg.Client(sessionConfigOf(own.databaseUrl))
  await client.connect()
  locks.push(client)
  await client.query(`BEGIN; ${statement}`)
  return async () => void (await client.query('COMMIT'))
}

/** Runs a statement in a session of its own, which sees only what is committed. */
async function look<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
  const client = new pg.Client({ ...sessionConfigOf(own.databaseUrl), application_name: 'look' })
  await client.connect()
  const { rows } = await client.query<Row>(text)
  await client.end()
  return rows
}

const set = (name: string, value: string): string =>
  `INSERT INTO service_settings (name, value) VALUES ('${name}', '${value}')
   ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value`

test('a connection is replaced after its lifetime, and not while it runs a statement', async () => {
  const { pool } = openAt(own.databaseUrl, { ...impatient, lifetimeMs: 50 })
  const readPid = async (text: string): Promise<number> => {
    const { rows } = await pool.query<{ pid: number }>(text)
    return rows[0]!.pid
  }
  const first = await readPid('SELECT pg_backend_pid() AS pid FROM pg_sleep(0.2)')
  const later = await until(
    () => readPid('SELECT pg_backend_pid() AS pid'),
    (pid) => pid !== first,
  )
  expect(later).not.toBe(first)
  expect(await look(`SELECT 1 FROM pg_stat_activity WHERE pid = ${first}`)).toEqual([])
})

describe.each(modes)('a database opened $mode', ({ open }) => {
  test('returns no connection with an open transaction, and commits no failed transaction', async () => {
    const database = open(impatient)
    await database.pool.query(set('held', 'before'))
    const release = await holdLock(`SELECT 1 FROM service_settings WHERE name = 'held' FOR UPDATE`)
    const changes = Array.from({ length: connectionsMax }, (_, n) =>
      failureOf(
        database.prisma.$transaction(async (tx) => {
          await tx.$executeRawUnsafe(set(`uncommitted ${n}`, 'value'))
          await tx.$executeRawUnsafe(set('held', 'after'))
        }),
      ),
    )
    await Promise.all(changes)
    // By now the client has given up the ROLLBACK that is queued behind the statement, too.
    await setTimeout(impatient.queryMs)
    await release()
    const names = Array.from({ length: 20 }, (_, n) => `accepted ${n}`)
    const results = await Promise.allSettled(
      names.map((name) => database.pool.query(set(name, 'value'))),
    )
    const accepted = names.filter((_, n) => results[n]!.status === 'fulfilled')
    const stored = (
      await look<{ name: string }>(`SELECT name FROM service_settings WHERE name <> 'held'`)
    ).map(({ name }) => name)
    await look(`DELETE FROM service_settings`)
    expect(accepted.filter((name) => !stored.includes(name))).toEqual([])
    expect(stored.filter((name) => name.startsWith('uncommitted'))).toEqual([])
    expect(results.map(({ status }) => status)).toEqual(results.map(() => 'fulfilled'))
  })

  test('sends nothing of a transaction after its ROLLBACK, not even the rest of an operation', async () => {
    const database = open(impatient)
    const { prisma } = database
    const [id, userId] = [randomUUID(), randomUUID()]
    await prisma.tenant.create({ data: { id, slug: id, name: 'before' } })
    const release = await holdLock(`SELECT 1 FROM tenants WHERE id = '${id}' FOR UPDATE`)
    const users = { create: { id: userId, kind: 'service', name: 'service' } } as const
    const change = failureOf(
      prisma.$transaction((tx) =>
        tx.tenant.update({ where: { id }, data: { name: 'after', users } }),
      ),
    )
    // The transaction has expired, and its statement has not.
    await setTimeout((impatient.transactionMs + impatient.queryMs) / 2)
    await release()
    expect(isDatabaseUnavailable(await change)).toBe(true)
    await database.close()
    expect(await look(`SELECT name FROM tenants WHERE id = '${id}'`)).toEqual([{ name: 'before' }])
    expect(await look(`SELECT name FROM users WHERE tenant_id = '${id}'`)).toEqual([])
  })

  test('never opens more connections than the pool size, even on a slow server, and recovers', async () => {
    const database = open(impatient)
    const release = await holdLock('LOCK TABLE service_settings IN ACCESS EXCLUSIVE MODE')
    const before = await countSessions()
    for (let round = 0; round < 4; round++) {
      const statements = Array.from({ length: connectionsMax }, () =>
        failureOf(database.pool.query(set('any', 'value'))),
      )
      await Promise.all(statements)
      expect((await countSessions()) - before).toBeLessThanOrEqual(connectionsMax)
    }
    expect(database.pool).toMatchObject({ closingCount: connectionsMax, totalCount: 0 })
    await release()
    await database.pool.query('SELECT 1')
    await until(
      () => Promise.resolve(database.pool.closingCount),
      (count) => count === 0,
    )
  })
})

test('the state of a database is known in time while its pooler has no connection to it', async () => {
  const full = await startPgbouncer(own.databaseUrl, { default_pool_size: '1' })
  const url = full.url(own.databaseUrl)
  const database = openAt(url, {}, own.databaseUrl)
  expect(await readDatabaseState(database)).toMatchObject({ isReachable: true })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('BEGIN')
  // What was found before counts for five seconds, and each read takes three.
  for (let read = 0; read < 3; read++) {
    const startedAt = performance.now()
    expect(await readDatabaseState(database)).toMatchObject({ isReachable: false })
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  }
  await client.end()
  await full.stop()
})

describe('a server that accepts connections and does not respond', () => {
  let listener: Server
  let accepted: Socket[]
  beforeEach(async () => {
    accepted = []
    listener = createServer((socket) => {
      accepted.push(socket)
      socket.on('error', () => undefined)
    })
    await once(listener.listen(0, '127.0.0.1'), 'listening')
  })
  afterEach(() => {
    for (const socket of accepted) socket.destroy()
    listener.close()
  })

  const open = (closeMs: number): Database => {
    const url = new URL(own.databaseUrl)
    url.host = `127.0.0.1:${(listener.address() as AddressInfo).port}`
    return openAt(url.href, { ...impatient, acquireMs: 200, silentMs: 60_000, closeMs })
  }

  const tryAll = async ({ pool }: Database): Promise<void> => {
    const tries = Array.from({ length: 2 * connectionsMax }, () =>
      failureOf(pool.query('SELECT 1')),
    )
    const messages = (await Promise.all(tries)).map(({ message }) => message)
    expect(messages).toEqual(messages.map(() => 'timeout exceeded when trying to connect'))
  }

  test('gets no more connection attempts than the pool size, and these are used once it responds', async () => {
    const database = open(60_000)
    for (let round = 0; round < 3; round++) await tryAll(database)
    expect(accepted).toHaveLength(connectionsMax)
    expect(database.pool.waitingCount).toBe(0)
    const { hostname, port } = new URL(own.databaseUrl)
    for (const socket of accepted) {
      const server = connect(Number(port), hostname)
      socket.pipe(server).pipe(socket)
      server.on('error', () => undefined)
      // A pipe ends neither side where the other is destroyed.
      socket.on('close', () => server.destroy())
    }
    await until(
      () => Promise.resolve(database.pool.idleCount),
      (count) => count === connectionsMax,
    )
    await database.pool.query('SELECT 1')
    expect(accepted).toHaveLength(connectionsMax)
  })

  test('is abandoned after a timeout and tried again', async () => {
    const database = open(500)
    await tryAll(database)
    await Promise.all(accepted.map((socket) => once(socket.resume(), 'close')))
    await tryAll(database)
    expect(accepted.length).toBeGreaterThan(connectionsMax)
  })
})

/** Counts the sessions of pools: the server has workers too, and a question about silent connections its own session. */
async function countSessions(): Promise<number> {
  const [row] = await look<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'client backend'
       AND application_name NOT IN ('look', '${silenceCheckName}')`,
  )
  return row!.count
}
