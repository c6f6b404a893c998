import {
  connectDirectly,
  defaultTimeouts,
  openDatabase,
  openServiceDatabase,
  readDatabaseState,
  requireSettings,
  setServerTimeouts,
  type Database,
  type ServiceDatabase,
} from '@hosting/postgres/database'
import { Secret } from '@hosting/core/configuration'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  administerServer,
  makePooledStack,
  type OwnStack,
} from '../../../../test/support/own-stack.ts'
import { migrate } from '../../../../tools/migrations.ts'
import { checkedSearchPath } from '../../../../tools/owner-session.ts'
import { startPgbouncer, type Pgbouncer } from '../../../../test/support/pgbouncer.ts'

let own: OwnStack
let pgbouncer: Pgbouncer
const opened: Database[] = []

const open = (url: string, directUrl?: string): Database => {
  const database = openDatabase(url, { directUrl, onError: () => undefined })
  opened.push(database)
  return database
}

const needsDirectUrl =
  'drops the settings that sessions send (the startup parameter options): set DATABASE_DIRECT_URL to the address of PostgreSQL itself'

/** Starts as a process does. It must not wait for what waiting does not change. */
async function start(url: string, directUrl?: string): Promise<ServiceDatabase> {
  const config = {
    databaseUrl: new Secret(url),
    databaseDirectUrl: directUrl === undefined ? undefined : new Secret(directUrl),
    startTimeoutMs: 60_000,
    requireDurability: false,
  }
  const nothing = () => undefined
  return await openServiceDatabase(config, {
    onError: nothing,
    onWait: (error) => {
      throw new Error('the process waits', { cause: error })
    },
    onLossySettings: nothing,
    onTimeoutWarning: nothing,
    onAuditLogChangeable: nothing,
    onPositionsRaised: nothing,
    clock: { onError: nothing, onChange: nothing },
  })
}

beforeAll(async () => {
  own = await makePooledStack()
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

  test.each([
    ['TimeZone', 'America/New_York', 'UTC', '"UTC"'],
    ['DateStyle', 'German, DMY', 'ISO, MDY', '"ISO, MDY"'],
    ['default_transaction_isolation', 'serializable', 'read committed', '"read committed"'],
    ['idle_session_timeout', '10000', '0', '"0"'],
  ])(
    'a role or database whose sessions have another %s is refused, with the statement that fixes it',
    async (setting, value, needed, shown) => {
      const name = new URL(own.databaseUrl).pathname.slice(1)
      const role = new URL(own.databaseUrl).username
      const direct = open(own.databaseUrl)
      const targets = [
        [`DATABASE "${name}"`, 'ALTER DATABASE'],
        [`ROLE "${role}" IN DATABASE "${name}"`, 'ALTER ROLE IN DATABASE'],
      ] as const
      for (const [target, origin] of targets) {
        await direct.pool.query(`ALTER ${target} SET ${setting} TO '${value}'`)
        // PgBouncer's connections are as they were when they were made.
        await pgbouncer.killAndRestart()
        const fix = `ALTER ${target} SET ${setting} TO '${needed}'`
        await expect(requireSettings(pooled().pool, false)).rejects.toThrow(
          `Sessions of role ${role} in database ${name} have ${setting} "${value}" instead of ${shown}, which comes from ${origin}: ${fix}. Then renew`,
        )
        expect((await readDatabaseState(pooled())).wrongSettings).toMatchObject([{ name: setting }])
        // A connection that says so itself is not concerned.
        await requireSettings(direct.pool)
        await direct.pool.query(fix)
        await pgbouncer.killAndRestart()
        await requireSettings(pooled().pool, false)
      }
    },
  )

  test('what another client of the pooler has set is refused', async () => {
    const database = pooled()
    await database.pool.query(`SET standard_conforming_strings TO off`)
    await expect(requireSettings(database.pool, false)).rejects.toThrow(
      'have standard_conforming_strings "off" instead of "on", which the pooler or another of its clients has set',
    )
    await pgbouncer.killAndRestart()
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

  test('a process without the direct URL does not start, and says at once what is missing', async () => {
    const url = pgbouncer.url(own.databaseUrl)
    await expect(start(url)).rejects.toThrow(needsDirectUrl)
    await expect(start(own.databaseUrl, url)).rejects.toThrow(needsDirectUrl)
    await expect(migrate(url)).rejects.toThrow(needsDirectUrl)
    await expect(checkedSearchPath(url)).rejects.toThrow(needsDirectUrl)
  })

  test('a dedicated session connects directly', async () => {
    const client = await connectDirectly(pooled(), 5_000)
    const { rows } = await client.query('SHOW statement_timeout')
    expect(rows).toEqual([{ statement_timeout: '5s' }])
    await client.end()
  })
})

describe.each(['transaction', 'session'])(
  'behind PgBouncer in %s mode that drops start-up options',
  (mode) => {
    let dropping: Pgbouncer
    beforeAll(async () => {
      dropping = await startPgbouncer(own.databaseUrl, {
        pool_mode: mode,
        ignore_startup_parameters: 'extra_float_digits,options',
      })
    })
    afterAll(() => dropping?.stop())

    test('a process and a migration are refused, and told to use the direct URL', async () => {
      const url = dropping.url(own.databaseUrl)
      await expect(start(url)).rejects.toThrow(needsDirectUrl)
      await expect(migrate(url)).rejects.toThrow(needsDirectUrl)
      await expect(checkedSearchPath(url)).rejects.toThrow(needsDirectUrl)
    })

    test('with the direct URL a process starts, with the limits of the server', async () => {
      const { database, clock } = await start(dropping.url(own.databaseUrl), own.databaseUrl)
      clock.stop()
      await database.close()
      await expect(
        start(dropping.url(own.databaseUrl), dropping.url(own.databaseUrl)),
      ).rejects.toThrow(needsDirectUrl)
    })
  },
)
