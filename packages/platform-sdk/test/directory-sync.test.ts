import { ConnectionError, createInternalClient, type DirectoryRecords } from '@hosting/platform-sdk'
import { beforeEach, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { serviceToken } from '../../../test/support/environment.ts'
import { useApi } from '../../../test/support/api.ts'
import { makeSession } from '../../../test/support/session.ts'
import { errorOf } from '../../sdk/test/support/server.ts'

const api = useApi()
/** The test has the whole directory to itself. */
beforeEach(async () => {
  await api.database.pool.query('TRUNCATE tenants CASCADE')
})

/** A client that counts its requests, and that fails from the given request on. */
function connect({ failingAfter = Infinity }: { failingAfter?: number } = {}) {
  const sent: { method: string; body: string }[] = []
  const control = createInternalClient({
    baseUrl: api.internalUrl,
    token: serviceToken,
    retries: 0,
    fetch: async (url, init) => {
      if (sent.length >= failingAfter) throw new TypeError('the network is gone')
      sent.push({
        method: init!.method!,
        body: typeof init!.body === 'string' ? init!.body : '',
      })
      return await fetch(url, init)
    },
  })
  const writes = () => sent.filter(({ method }) => method !== 'GET')
  return { control, writes }
}

function buildRecords(tenants = 2, usersPerTenant = 2): DirectoryRecords {
  const made = Array.from({ length: tenants }, () => {
    const [id, accountId] = [randomUUID(), randomUUID()]
    return {
      tenant: { id, slug: `t-${id}`, name: 'Acme' },
      account: { id: accountId, tenant_id: id, name: 'Account' },
      users: Array.from({ length: usersPerTenant }, () => {
        const userId = randomUUID()
        return {
          id: userId,
          tenant_id: id,
          email: `${userId}@example.test`,
          name: 'Ana',
          status: 'active' as const,
          roles: ['customer' as const, 'support' as const],
          accounts: [accountId],
        }
      }),
    }
  })
  return {
    tenants: made.map(({ tenant }) => tenant),
    accounts: made.map(({ account }) => account),
    users: made.flatMap(({ users }) => users),
  }
}

const referencesOf = ({ tenants, accounts, users }: DirectoryRecords) => [
  ...tenants.map(({ id }) => ({ type: 'tenant', id })),
  ...accounts.map(({ id }) => ({ type: 'account', id })),
  ...users.map(({ id }) => ({ type: 'user', id })),
]

test('creates all records in an empty service, then finds no difference', async () => {
  const records = buildRecords()
  const { control, writes } = connect()
  const first = await control.directory.sync(records)
  expect(first).toEqual({
    unchanged: 0,
    put: referencesOf(records),
    refused: [],
    surplus: [],
    removed: [],
  })
  const sent = writes().length
  const second = await control.directory.sync(records)
  expect(second).toEqual({ unchanged: 8, put: [], refused: [], surplus: [], removed: [] })
  expect(writes()).toHaveLength(sent)
})

test('sends only differences', async () => {
  const records = buildRecords()
  await connect().control.directory.sync(records)
  const [renamed, moved] = [records.tenants[0]!, records.users[3]!]
  const { control, writes } = connect()
  const report = await control.directory.sync({
    ...records,
    tenants: [{ ...renamed, name: 'Other', id: renamed.id.toUpperCase() }, records.tenants[1]!],
    users: [
      ...records.users.slice(0, 3).map((user) => ({ ...user, roles: user.roles.toReversed() })),
      { ...moved, accounts: [] },
    ],
  })
  expect(report.put).toEqual([
    { type: 'tenant', id: renamed.id },
    { type: 'user', id: moved.id },
  ])
  expect(writes().map(({ body }) => JSON.parse(body).users.length)).toEqual([1])
  const { user } = await control.GET('/users/{id}', { params: { path: { id: moved.id } } })
  expect(user.accounts).toEqual([])
})

test('a dry run reports the same result and changes nothing', async () => {
  const kept = buildRecords(1)
  const gone = buildRecords(1, 1)
  await connect().control.directory.sync({
    tenants: [...kept.tenants, ...gone.tenants],
    accounts: [...kept.accounts, ...gone.accounts],
    users: [...kept.users, ...gone.users],
  })
  const added = buildRecords(1, 1)
  const wanted = {
    tenants: [...kept.tenants, ...added.tenants],
    accounts: [...kept.accounts, ...added.accounts],
    users: [...kept.users, ...added.users],
  }
  const { control, writes } = connect()
  const dry = await control.directory.sync(wanted, { dryRun: true })
  expect(writes()).toEqual([])
  expect(await control.directory.sync(wanted)).toEqual(dry)
  expect(dry.put).toEqual(referencesOf(added))
  expect(dry.surplus).toEqual(
    referencesOf(gone).map((reference) => ({ ...reference, name: expect.any(String) })),
  )
})

test('removes only records that it is told to remove and that the platform does not have', async () => {
  const [kept, gone] = [buildRecords(1), buildRecords(1, 2)]
  const { control } = connect()
  await control.directory.sync({
    tenants: [...kept.tenants, ...gone.tenants],
    accounts: [...kept.accounts, ...gone.accounts],
    users: [...kept.users, ...gone.users],
  })
  const [first, second] = gone.users
  const one = await control.directory.sync(kept, {
    remove: [
      { type: 'user', id: first!.id },
      { type: 'user', id: kept.users[0]!.id },
    ],
  })
  expect(one.removed).toEqual([{ type: 'user', id: first!.id }])
  expect(one.surplus.map(({ id }) => id)).toContain(second!.id)
  const rest = await control.directory.sync(kept, { remove: one.surplus })
  expect(rest.removed).toEqual(referencesOf({ ...gone, users: [second!] }))
  expect(await control.directory.sync(kept)).toMatchObject({ unchanged: 4, surplus: [] })
})

test('a repeated call after an interruption at any request completes the work and sends nothing twice', async () => {
  const [gone, records] = [buildRecords(1, 1), buildRecords(2, 1)]
  // More than one batch: passwords are expensive.
  const users = records.users.map((user) => ({ ...user, password: 'correct horse' }))
  const wanted = { ...records, users: [...users, ...buildPeople(records, 24)] }
  await connect().control.directory.sync(gone)
  const remove = referencesOf(gone) as { type: 'tenant' | 'account' | 'user'; id: string }[]
  const puts: string[] = []
  let interruptions = 0
  for (let failingAfter = 0; ; failingAfter++) {
    const { control, writes } = connect({ failingAfter })
    const error = await errorOf(control.directory.sync(wanted, { remove }))
    puts.push(...writes().flatMap(({ body }) => idsIn(body)))
    if (error === undefined) break
    expect(error).toBeInstanceOf(ConnectionError)
    interruptions += 1
  }
  expect(interruptions).toBeGreaterThan(4)
  expect(puts.toSorted()).toEqual([...new Set(puts)].toSorted())
  expect(puts).toHaveLength(30)
  const { control, writes } = connect()
  const again = await control.directory.sync(wanted, { remove })
  expect(again).toEqual({ unchanged: 30, put: [], refused: [], surplus: [], removed: [] })
  expect(writes()).toEqual([])
})

/** The ids of the records of a batch. */
const idsIn = (body: string): string[] => {
  if (body === '') return []
  const { tenants, accounts, users } = JSON.parse(body) as DirectoryRecords
  return [...tenants, ...accounts, ...users].map(({ id }) => id)
}

const buildPeople = ({ tenants }: DirectoryRecords, count: number) =>
  Array.from({ length: count }, () => {
    const id = randomUUID()
    return {
      id,
      tenant_id: tenants[0]!.id,
      email: `${id}@example.test`,
      name: 'Bea',
      status: 'active' as const,
      roles: [],
      accounts: [],
      password: 'correct horse',
    }
  })

test('a refused record is reported with its problem and does not stop the others', async () => {
  const records = buildRecords(1, 2)
  const [first, second] = records.users
  const { control } = connect()
  const report = await control.directory.sync({
    ...records,
    users: [first!, { ...second!, email: first!.email }],
  })
  expect(report.refused).toMatchObject([
    { type: 'user', id: second!.id, status: 409, problem: { code: 'conflict' } },
  ])
  expect(report.put).toHaveLength(3)
})

test('a password is sent once, to a person who has none', async () => {
  const records = buildRecords(1, 1)
  const { control } = connect()
  await control.directory.sync(records)
  const withPassword = {
    ...records,
    users: [{ ...records.users[0]!, password: 'correct horse' }],
  }
  expect((await control.directory.sync(withPassword)).put).toHaveLength(1)
  expect((await control.directory.sync(withPassword)).put).toEqual([])
})

test('another difference of a person with a password does not restore the old password or end sessions', async () => {
  const records = buildRecords(1, 1)
  const user = { ...records.users[0]!, password: 'correct horse' }
  const { control, writes } = connect()
  await control.directory.sync({ ...records, users: [user] })
  const params = { path: { id: user.id } }
  const { id: _id, ...members } = user
  await control.PUT('/users/{id}', { params, body: { ...members, password: 'battery staple' } })
  await makeSession(api, user.id)
  const stored = () =>
    api.database.prisma.user.findUniqueOrThrow({
      where: { id: user.id },
      select: { passwordHash: true, sessions: { select: { id: true, revokedAt: true } } },
    })
  const before = await stored()
  expect(before.sessions).toHaveLength(1)

  const report = await control.directory.sync({ ...records, users: [{ ...user, name: 'Bea' }] })
  expect(report.put).toEqual([{ type: 'user', id: user.id }])
  expect(JSON.parse(writes().at(-1)!.body).users).toEqual([{ ...records.users[0]!, name: 'Bea' }])
  expect((await control.GET('/users/{id}', { params })).user.name).toBe('Bea')
  expect(await stored()).toEqual(before)
})
