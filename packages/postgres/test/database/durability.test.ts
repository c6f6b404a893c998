import {
  openServiceDatabase,
  readDatabaseState,
  type ServiceDatabase,
} from '@hosting/postgres/database'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { testConfig } from '../../../../test/support/environment.ts'
import { resetDefaults } from '../../../../test/support/own-stack.ts'
import { startPgbouncer } from '../../../../test/support/pgbouncer.ts'
import { useDatabase } from '../support/database.ts'

const direct = useDatabase()
let name = ''
beforeEach(async () => {
  name = new URL(direct.url).pathname.slice(1)
  await direct.pool.query(`ALTER DATABASE "${name}" SET synchronous_commit = off`)
})
afterEach(() => direct.pool.query(`ALTER DATABASE "${name}" RESET synchronous_commit`))

const ignore = () => undefined

async function open(settings: Record<string, string> = {}) {
  const lossy: string[] = []
  const config = testConfig({
    DATABASE_URL: direct.url,
    DATABASE_DIRECT_URL: '',
    REQUIRE_DURABILITY: 'false',
    ...settings,
  })
  const opened = await openServiceDatabase(config, {
    onError: ignore,
    onWait: ignore,
    onTimeoutWarning: ignore,
    onAuditLogChangeable: ignore,
    onPositionsRaised: ignore,
    onLossySettings: (names) => lossy.push(...names),
    clock: { onError: ignore, onChange: ignore },
  })
  return { ...opened, lossy }
}

async function close({ database, clock }: ServiceDatabase): Promise<void> {
  clock.stop()
  await database.close()
}

const settingOf = async (setting: string): Promise<string> =>
  (await direct.pool.query<{ value: string }>(`SELECT current_setting($1) AS value`, [setting]))
    .rows[0]!.value

/** The settings that sessions cannot change. Test servers may be fast instead of durable. */
async function lossyServerSettings(): Promise<string[]> {
  const names = ['fsync', 'full_page_writes']
  const values = await Promise.all(names.map(settingOf))
  return names.filter((_, index) => values[index] === 'off')
}

test('commits wait for the disk even if synchronous_commit is off by default, and unsafe settings are reported', async () => {
  const opened = await open()
  const { pool, hotPool } = opened.database
  for (const each of [pool, hotPool!]) {
    const { rows } = await each.query(`SELECT current_setting('synchronous_commit') AS value`)
    expect(rows).toEqual([{ value: 'on' }])
  }
  const lossy = await lossyServerSettings()
  expect(opened.lossy).toEqual(lossy)
  expect((await readDatabaseState(opened.database)).lossySettings).toEqual(lossy)
  await close(opened)
})

test('behind a pooler, the setting is stored for the role', async () => {
  await resetDefaults(direct.url)
  const pgbouncer = await startPgbouncer(direct.url)
  const pooled = { DATABASE_URL: pgbouncer.url(direct.url), DATABASE_DIRECT_URL: direct.url }
  await direct.pool.query(`ALTER DATABASE "${name}" SET timezone = 'UTC'`)
  await close(await open(pooled))
  const { rows } = await direct.pool.query<{ settings: string[] }>(
    `SELECT setconfig AS settings FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
     WHERE d.datname = current_database() AND s.setrole = current_user::regrole`,
  )
  expect(rows[0]!.settings).toContain('synchronous_commit=on')
  await direct.pool.query(`ALTER ROLE CURRENT_USER IN DATABASE "${name}" RESET ALL`)
  await direct.pool.query(`ALTER DATABASE "${name}" RESET timezone`)
  await pgbouncer.stop()
})

test('if durability is required, a server that may lose confirmed commits is refused', async () => {
  const lossy = await lossyServerSettings()
  const opening = open({ REQUIRE_DURABILITY: 'true' })
  if (lossy.length === 0) return await close(await opening)
  await expect(opening).rejects.toThrow(`may lose what it has confirmed: ${lossy.join(', ')}`)
})
