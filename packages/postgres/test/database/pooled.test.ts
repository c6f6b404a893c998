import {
  requireUtc,
  connectDirectly,
  defaultTimeouts,
  setServerTimeouts,
  openDatabase,
  type Database,
} from '@hosting/postgres/database'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  administerServer,
  makeOwnStack,
  type OwnStack,
} from '../../../../test/support/own-stack.ts'
import { migrate } from '../../../../tools/migrations.ts'
import { startPgbouncer, type Pgbouncer } from '../../../../test/support/pgbouncer.ts'

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
  // A test server may have it off, and then it would be missing too.
  const name = new URL(own.databaseUrl).pathname.slice(1)
  await administerServer(`ALTER DATABASE "${name}" SET synchronous_commit TO 'on'`)
  pgbouncer = await startPgbouncer(own.databaseUrl)
})
afterAll(async () => {
  await Promise.all(opened.map((database) => database.close()))
  await pgbouncer?.stop()
  await own?.remove()
})

describe('behind PgBouncer in transaction mode', () => {
  const pooled = () => open(pgbouncer.url(own.databaseUrl), own.databaseUrl)

  test('a database whose sessions are not in UTC is refused, with the statement that fixes it', async () => {
    const name = new URL(own.databaseUrl).pathname.slice(1)
    const direct = open(own.databaseUrl)
    await direct.pool.query(`ALTER DATABASE "${name}" SET timezone TO 'America/New_York'`)
    // PgBouncer's connections are as they were when they were made.
    await pgbouncer.killAndRestart()
    const fix = `ALTER DATABASE "${name}" SET timezone TO 'UTC'`
    await expect(requireUtc(pooled())).rejects.toThrow(
      `The sessions of database ${name} are in time zone America/New_York: ${fix}`,
    )
    // A connection that says so itself is not concerned.
    await requireUtc(direct)
    await direct.pool.query(fix)
    await pgbouncer.killAndRestart()
    await requireUtc(pooled())
  })

  describe('the server timeouts', () => {
    const readLimits = async ({ pool }: Database) =>
      (
        await pool.query(
          `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
             current_setting('idle_in_transaction_session_timeout') AS idle`,
        )
      ).rows[0]
    const limits = { statement: '9s', lock: '8s', idle: '12s' }
    const none = { statement: '0', lock: '0', idle: '0' }

    test('are set for the role if they are missing, even by concurrent processes', async () => {
      expect(await readLimits(pooled())).toEqual(none)
      const notices = await Promise.all(
        Array.from({ length: 5 }, () => setServerTimeouts(pooled())),
      )
      const missing = 'idle_in_transaction_session_timeout, lock_timeout, statement_timeout'
      const set = `sessions of the pooler had no ${missing}: set for new ones, and PgBouncer's RECONNECT renews the others`
      // Who comes last may find them set.
      expect(notices.filter((notice) => notice !== undefined && notice.message !== set)).toEqual([])
      expect(notices).toContainEqual({ message: set })
      await pgbouncer.killAndRestart()
      expect(await readLimits(pooled())).toEqual(limits)
      expect(await setServerTimeouts(pooled())).toBeUndefined()
    })

    test('do not apply to retention', async () => {
      const client = await connectDirectly(pooled(), 60_000)
      const { rows } = await client.query('SHOW lock_timeout')
      expect(rows).toEqual([{ lock_timeout: '0' }])
      await client.end()
    })

    test('are named with the statements to run if they cannot be set', async () => {
      const role = `limited_${process.pid}`
      const direct = open(own.databaseUrl)
      await direct.pool.query(`CREATE ROLE ${role} LOGIN PASSWORD 'x'`)
      const stranger = new URL(own.databaseUrl)
      stranger.username = role
      stranger.password = 'x'
      const database = { ...pooled(), directUrl: stranger.href }
      const timeouts = { ...defaultTimeouts, lockMs: 5_000 }
      const warning = await setServerTimeouts({ ...database, timeouts })
      await direct.pool.query(`DROP ROLE ${role}`)
      expect(warning).toMatchObject({
        message: expect.stringMatching(
          /^sessions of the pooler have no lock_timeout, and setting them failed: ALTER ROLE "\w+" IN DATABASE "\w+" SET lock_timeout TO 5000$/,
        ),
        error: expect.objectContaining({ code: '42501' }),
      })
    })
  })

  test('a migration is not limited by the timeouts of its role', async () => {
    const name = `${new URL(own.databaseUrl).pathname.slice(1)}_migrated`
    const url = new URL(own.databaseUrl)
    url.pathname = `/${name}`
    const { pool } = open(own.databaseUrl)
    await pool.query(`CREATE DATABASE ${name}`)
    await pool.query(`ALTER ROLE CURRENT_USER IN DATABASE ${name} SET statement_timeout TO 1`)
    expect(await migrate(url.href)).toContain('All migrations have been successfully applied')
    await pool.query(`DROP DATABASE ${name} WITH (FORCE)`)
  })

  test('every statement fails if the direct URL is missing', async () => {
    const database = open(pgbouncer.url(own.databaseUrl))
    await expect(database.pool.query('SELECT 1')).rejects.toThrow('unsupported startup parameter')
  })

  test('a dedicated session connects directly', async () => {
    const client = await connectDirectly(pooled(), 5_000)
    const { rows } = await client.query('SHOW statement_timeout')
    expect(rows).toEqual([{ statement_timeout: '5s' }])
    await client.end()
  })
})
