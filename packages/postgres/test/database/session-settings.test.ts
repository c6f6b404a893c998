import {
  connectDirectly,
  findWrongSettings,
  openDatabase,
  readDatabaseState,
  requireSettings,
  sentSettings,
  type Database,
} from '@hosting/postgres/database'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { hostileSettings, hostileStatements } from '../../../../test/support/hostile-database.ts'
import {
  administerServer,
  makeOwnStack,
  type OwnStack,
} from '../../../../test/support/own-stack.ts'

let own: OwnStack
let role = ''
let name = ''
let url = ''
const opened: Database[] = []

const open = (): Database => {
  const database = openDatabase(url, { onError: () => undefined })
  opened.push(database)
  return database
}
// In the server's own database, which has no hostile defaults.
const administer = (statement: string) => administerServer(statement)

beforeAll(async () => {
  own = await makeOwnStack()
  name = new URL(own.databaseUrl).pathname.slice(1)
  role = `dba_${process.pid}`
  await administer(`CREATE ROLE ${role} LOGIN SUPERUSER PASSWORD 'x'`)
  const ownUrl = new URL(own.databaseUrl)
  ownUrl.username = role
  ownUrl.password = 'x'
  url = ownUrl.href
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()))
  await administer(`ALTER ROLE ${role} IN DATABASE "${name}" RESET ALL`)
  await administer(`ALTER ROLE ${role} RESET ALL`)
  await administer(`ALTER DATABASE "${name}" RESET ALL`)
})
afterAll(async () => {
  await own?.remove()
  await administerServer(`DROP ROLE ${role}`)
})

const targets = {
  'the database': () => `DATABASE "${name}"`,
  'the role': () => `ROLE ${role}`,
  'the role in the database': () => `ROLE ${role} IN DATABASE "${name}"`,
}

describe.each(Object.entries(targets))('with hostile defaults of %s', (_, target) => {
  test('every pool and direct session has the settings that the code depends on', async () => {
    await administer(
      hostileStatements(target(), {
        ...hostileSettings,
        idle_session_timeout: '1s',
        statement_timeout: '1ms',
        lock_timeout: '1ms',
        idle_in_transaction_session_timeout: '1ms',
      }),
    )
    const database = open()
    const direct = await connectDirectly(database, 5_000)
    for (const session of [database.pool, direct]) {
      expect(await findWrongSettings(session, true)).toEqual([])
    }
    // The plans of hot statements are another matter.
    expect(await findWrongSettings(database.hotPool!, true)).toEqual([
      expect.objectContaining({ name: 'plan_cache_mode' }),
    ])
    const { rows } = await database.pool.query(
      `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock`,
    )
    expect(rows).toEqual([{ statement: '9s', lock: '8s' }])
    await direct.end()
  })

  test('Prisma and statements read times, bytes and numbers as they were written', async () => {
    await administer(hostileStatements(target()))
    const { prisma, pool } = open()
    const [at, bytes] = [new Date('2026-11-28T10:20:30.456Z'), Buffer.from([0, 92, 255])]
    const columns = `$1::timestamptz AS at, ARRAY[$1::timestamptz, NULL] AS list, $2::bytea AS bytes,
      extract(epoch FROM $1::timestamptz)::float8 AS seconds, 'a\\b' AS text, current_setting('transaction_isolation') AS level`
    const expected = {
      at,
      list: [at, null],
      seconds: 1795861230.456,
      text: 'a\\b',
      level: 'read committed',
    }
    const [row] = (await pool.query(`SELECT ${columns}`, [at, bytes])).rows
    expect(row).toMatchObject(expected)
    expect(row.bytes).toEqual(bytes)
    const [of] = await prisma.$queryRawUnsafe<Record<string, unknown>[]>(
      `SELECT ${columns}`,
      at,
      bytes,
    )
    expect(of).toMatchObject({ ...expected, list: [at, null] })
    expect(Buffer.from(of!['bytes'] as Uint8Array)).toEqual(bytes)
  })
})

test('a time in another form is an error, not null and not another time', async () => {
  const { prisma, pool } = open()
  const unreadable = /not in DateStyle ISO and TimeZone UTC/
  for (const setting of [`DateStyle TO 'German'`, `TimeZone TO 'Asia/Kathmandu'`]) {
    for (const column of ['now()', 'ARRAY[now()]', `'infinity'::timestamptz`]) {
      const client = await pool.connect()
      await client.query(`SET ${setting}`)
      await expect(client.query(`SELECT ${column} AS at`)).rejects.toThrow(unreadable)
      await client.query('RESET ALL')
      client.release()
      const read = prisma.$transaction(async (tx) => {
        await tx.$executeRawUnsafe(`SET LOCAL ${setting}`)
        return await tx.$queryRawUnsafe(`SELECT ${column} AS at`)
      })
      await expect(read).rejects.toThrow(unreadable)
    }
  }
})

test('a setting that cannot be sent is refused with the command that helps', async () => {
  await administer(`ALTER ROLE ${role} SET session_replication_role TO replica`)
  const fix = `ALTER ROLE "${role}" SET session_replication_role TO 'origin'`
  await expect(requireSettings(open().pool)).rejects.toThrow(
    `Sessions of role ${role} in database ${name} have session_replication_role "replica" instead of "origin", which comes from ALTER ROLE: ${fix}.`,
  )
  await administer(fix)
  await requireSettings(open().pool)
})

test('a setting that changes while the process runs is found on a new session', async () => {
  const database = open()
  expect(await readDatabaseState(database)).toMatchObject({ wrongSettings: [] })
  await administer(
    `ALTER ROLE ${role} IN DATABASE "${name}" SET session_replication_role TO replica`,
  )
  const fresh = open()
  expect(await readDatabaseState(fresh)).toMatchObject({
    isReachable: true,
    wrongSettings: [{ name: 'session_replication_role' }],
  })
})

test('a role that cannot use the schema is told so', async () => {
  const stranger = `stranger_${process.pid}`
  await administer(`CREATE ROLE ${stranger} LOGIN PASSWORD 'x'`)
  await administerServer('REVOKE USAGE ON SCHEMA public FROM PUBLIC', own.databaseUrl)
  const client = new pg.Client({
    connectionString: url.replace(role, stranger),
    options: '-c hosting.session=own -c TimeZone=UTC',
  })
  await client.connect()
  await expect(requireSettings(client)).rejects.toThrow(
    `Role ${stranger} cannot use the schema public of database ${name}: create it, or GRANT USAGE ON SCHEMA public TO "${stranger}"`,
  )
  await client.end()
  await administer(`DROP ROLE ${stranger}`)
})

test('options of the URL are kept, and cannot change what the code depends on', async () => {
  const options = new URLSearchParams({
    options: `-c work_mem=7MB -c DateStyle=SQL -c search_path=pg_catalog`,
  })
  const database = openDatabase(`${url}?${options}`, { onError: () => undefined })
  opened.push(database)
  await requireSettings(database.pool)
  const { rows } = await database.pool.query(`SHOW work_mem`)
  expect(rows).toEqual([{ work_mem: '7MB' }])
  expect(Object.keys(sentSettings)).toContain('DateStyle')
})
