import {
  isDatabaseUnavailable,
  openDatabase,
  readDatabaseState,
  type Database,
} from '@hosting/postgres/database'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { until } from '../../../../test/support/until.ts'
import { failureOf, useDatabase } from '../support/database.ts'

const direct = useDatabase()
let database: Database
let name = ''
beforeAll(() => {
  name = new URL(direct.url).pathname.slice(1)
  database = openDatabase(direct.url, { onError: () => undefined })
})
afterAll(() => database.close())

const insert = `INSERT INTO service_settings (name, value) VALUES (gen_random_uuid()::text, '')`
const writes = ({ prisma, pool, hotPool }: Database): Promise<unknown>[] => [
  prisma.tenant.create({ data: { id: randomUUID(), slug: randomUUID(), name: 'Acme' } }),
  prisma.$transaction((tx) => tx.$executeRawUnsafe(insert)),
  prisma.tenant.updateMany({ data: { name: 'Other' } }),
  pool.query(insert),
  hotPool!.query(insert),
]

describe('a read-only database', () => {
  const setReadOnly = (value: 'on' | 'off') =>
    direct.pool.query(
      `SET default_transaction_read_only = off; ALTER DATABASE "${name}" SET default_transaction_read_only = ${value}`,
    )
  afterEach(() => setReadOnly('off'))

  test('counts as unavailable, and its sessions are replaced when it accepts writes again', async () => {
    await setReadOnly('on')
    for (const write of writes(database).map(failureOf)) {
      expect(isDatabaseUnavailable(await write)).toBe(true)
    }
    expect(await readDatabaseState(database)).toMatchObject({
      isReachable: true,
      isWritable: false,
    })
    await setReadOnly('off')
    const isWritable = async () => (await readDatabaseState(database)).isWritable
    await until(isWritable, (is) => is)
    await Promise.all(writes(database))
  })
})

describe.each([
  ['53100', 'a full disk'],
  ['53300', 'too many connections'],
  ['58030', 'an I/O error'],
])('SQLSTATE %s, %s,', (code) => {
  const raise = `DO $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '${code}'; END $$`

  test('counts as unavailable, and marks the database as not writable for a while', async () => {
    const { prisma, pool } = database
    for (const failure of [
      failureOf(prisma.$executeRawUnsafe(raise)),
      failureOf(pool.query(raise)),
    ]) {
      expect(isDatabaseUnavailable(await failure)).toBe(true)
    }
    expect(await readDatabaseState(database)).toMatchObject({
      isReachable: true,
      isWritable: false,
    })
  })
})

test('a server that has reached its connection limit counts as unreachable', async () => {
  const role = `narrow_${randomUUID().replaceAll('-', '')}`
  await direct.pool.query(`CREATE ROLE ${role} LOGIN PASSWORD 'x' CONNECTION LIMIT 1`)
  const url = new URL(direct.url)
  url.username = role
  url.password = 'x'
  const narrow = openDatabase(url.href, { onError: () => undefined })
  await narrow.hotPool!.query('SELECT 1')
  expect(await readDatabaseState(narrow)).toMatchObject({ isReachable: false })
  expect(isDatabaseUnavailable(await failureOf(narrow.pool.query('SELECT 1')))).toBe(true)
  await direct.pool.query(`ALTER ROLE ${role} CONNECTION LIMIT 5`)
  expect(await readDatabaseState(narrow)).toMatchObject({ isReachable: true })
  await narrow.close()
  await direct.pool.query(`DROP ROLE ${role}`)
})
