import {
  isDatabaseUnavailable,
  isUniqueViolation,
  isWorthWaiting,
  openDatabase,
  type Database,
} from '@hosting/postgres/database'
import { postponeAttempts } from '@hosting/postgres/deliveries'
import { afterAll, afterEach, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { buildDue } from '../../../../test/support/attempts.ts'
import { administerServer } from '../../../../test/support/own-stack.ts'
import { startTcpProxy } from '../../../../test/support/tcp-proxy.ts'
import { until } from '../../../../test/support/until.ts'
import { failureOf, useDatabase } from '../support/database.ts'
import { makeTenant } from '../support/fixtures.ts'

const database = useDatabase()
const nowhere = openDatabase('postgresql://postgres@127.0.0.1:1/none', { onError: () => undefined })
afterAll(() => nowhere.close())

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
  test('is recognized from Prisma, from raw SQL in Prisma and from the pool', async () => {
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

describe('an unavailable database', () => {
  test('is recognized from Prisma and from the pool', async () => {
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

  test('is recognized if it becomes unavailable during a statement', async () => {
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

describe('a server that admits nobody', () => {
  const connect = async (change: (url: URL) => void = () => undefined): Promise<unknown[]> => {
    const url = new URL(database.url)
    change(url)
    const opened = openDatabase(url.href, { connectionsMax: 1, onError: () => undefined })
    const failures = await Promise.all([
      failureOf(opened.pool.query('SELECT 1')),
      failureOf(opened.prisma.tenant.count()),
    ])
    await opened.close()
    return failures
  }
  const decide = (failures: readonly unknown[]) =>
    failures.map((failure) => [isDatabaseUnavailable(failure), isWorthWaiting(failure)])
  const twice = (isWorth: boolean) => [
    [true, isWorth],
    [true, isWorth],
  ]

  test('because the database is closed counts as unavailable, and is waited for', async () => {
    const name = new URL(database.url).pathname.slice(1)
    await administerServer(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS false`)
    const failures = await connect()
    await administerServer(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS true`)
    expect(decide(failures)).toEqual(twice(true))
  })

  test('because of the role or the name counts as unavailable, and is not waited for', async () => {
    const role = `nobody_${process.pid}`
    await administerServer(`CREATE ROLE ${role} NOLOGIN`)
    expect(decide(await connect((url) => (url.username = role)))).toEqual(twice(false))
    await administerServer(`DROP ROLE ${role}`)
    expect(decide(await connect((url) => (url.pathname = '/nothing')))).toEqual(twice(false))
  })

  test('because it is a standby counts as unavailable', async () => {
    const statement = `DO $$ BEGIN RAISE 'recovery is in progress' USING ERRCODE = '55000'; END $$`
    expect(
      decide([
        await failureOf(database.pool.query(statement)),
        await failureOf(database.prisma.$executeRawUnsafe(statement)),
      ]),
    ).toEqual(twice(true))
  })
})

describe('a COMMIT that fails', () => {
  /** Ends a transaction whose deferred trigger waits or fails during COMMIT. */
  async function commitWith(
    body: string,
    { prisma }: Pick<Database, 'prisma'> = database,
  ): Promise<unknown> {
    const id = await makeTenant(database)
    await database.pool.query(`
      CREATE FUNCTION at_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER at_commit AFTER UPDATE ON tenants DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION at_commit()`)
    return failureOf(
      prisma.$transaction((tx) => tx.tenant.update({ where: { id }, data: { name: 'Other' } })),
    )
  }
  afterEach(() => database.pool.query('DROP FUNCTION at_commit CASCADE'))

  test('because its connection is reset counts as unavailable', async () => {
    const proxy = await startTcpProxy(() => database.url)
    const proxied = openDatabase(proxy.url, { onError: () => undefined })
    const failure = commitWith(`PERFORM pg_sleep(30);`, proxied)
    await until(
      () =>
        database.pool.query(
          `SELECT FROM pg_stat_activity
           WHERE datname = current_database() AND query = 'COMMIT' AND wait_event = 'PgSleep'`,
        ),
      ({ rowCount }) => rowCount === 1,
    )
    proxy.reset()
    expect(isDatabaseUnavailable(await failure)).toBe(true)
    // PostgreSQL does not notice the reset while it sleeps.
    await database.pool.query(
      `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event = 'PgSleep'`,
    )
    await proxied.close()
    await proxy.close()
  })

  test('because its session is terminated counts as unavailable', async () => {
    const failure = await commitWith(`PERFORM pg_terminate_backend(pg_backend_pid());`)
    expect(isDatabaseUnavailable(failure)).toBe(true)
  })

  test('because of a deadlock counts as unavailable', async () => {
    const failure = await commitWith(`RAISE 'deadlock' USING ERRCODE = '40P01';`)
    expect(isDatabaseUnavailable(failure)).toBe(true)
  })

  test('because of a duplicate counts as a duplicate', async () => {
    const failure = await commitWith(`RAISE 'duplicate' USING ERRCODE = '23505';`)
    expect(isUniqueViolation(failure)).toBe(true)
    expect(isDatabaseUnavailable(failure)).toBe(false)
  })
})

describe('a server timeout', () => {
  const limits = { statementMs: 300, lockMs: 100, idleInTransactionMs: 200 }
  const limited = () => openDatabase(database.url, { timeouts: limits, onError: () => undefined })

  test('applies to every connection', async () => {
    const { pool, hotPool, close } = limited()
    for (const each of [pool, hotPool!]) {
      const { rows } = await each.query(
        `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
           current_setting('idle_in_transaction_session_timeout') AS idle`,
      )
      expect(rows).toEqual([{ statement: '300ms', lock: '100ms', idle: '200ms' }])
    }
    await close()
  })

  test('that stops a statement or a transaction counts as unavailable', async () => {
    const id = await makeTenant(database)
    const { prisma, pool, close } = limited()
    const rename = { where: { id }, data: { name: 'Other' } }
    const idle = () => new Promise((resolve) => setTimeout(resolve, 400))
    const failures = await database.prisma.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT 1 FROM tenants WHERE id = ${id}::uuid FOR UPDATE`
      return [
        await failureOf(prisma.tenant.update(rename)),
        await failureOf(prisma.$transaction((other) => other.tenant.update(rename))),
        await failureOf(prisma.$executeRaw`UPDATE tenants SET name = 'Other'`),
        await failureOf(pool.query(`UPDATE tenants SET name = 'Other'`)),
        await failureOf(prisma.$executeRaw`SELECT pg_sleep(1)`),
        await failureOf(pool.query('SELECT pg_sleep(1)')),
        await failureOf(
          prisma.$transaction(async (other) => {
            await other.tenant.count()
            await idle()
            await other.tenant.count()
          }),
        ),
      ]
    })
    expect(failures.map(isDatabaseUnavailable)).toEqual(failures.map(() => true))
    await close()
  })
})

describe('a deadlock', () => {
  /** Makes a number of updates of a table fail as the loser of a deadlock does. */
  async function failUpdates(table: string, times: number): Promise<void> {
    await database.pool.query(`
      CREATE SEQUENCE failures;
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('failures') <= ${times} THEN RAISE 'deadlock' USING ERRCODE = '40P01'; END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER fail BEFORE UPDATE ON ${table} EXECUTE FUNCTION fail()`)
  }
  afterEach(() => database.pool.query('DROP SEQUENCE failures; DROP FUNCTION fail CASCADE'))

  test('is retried by the statements of the queue', async () => {
    await failUpdates('pending_deliveries', 2)
    await postponeAttempts(database, [{ attempt: buildDue(), forMs: 0 }])
  })

  test('that occurs repeatedly counts as unavailable', async () => {
    await failUpdates('tenants', 1_000)
    const { prisma, pool } = database
    const statement = `UPDATE tenants SET name = 'Other'`
    const failures = [
      await failureOf(prisma.tenant.updateMany({ data: { name: 'Other' } })),
      await failureOf(prisma.$executeRawUnsafe(statement)),
      await failureOf(pool.query(statement)),
    ]
    expect(failures.map(isDatabaseUnavailable)).toEqual(failures.map(() => true))
  })
})

describe('any other error', () => {
  test('counts neither as a duplicate nor as unavailable', async () => {
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
