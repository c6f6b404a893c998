import { createKeyToken, rateLimitMax } from '@hosting/core/api-keys'
import { addKeyUsage, createApiKey, listKeyUsage, type KeyUsage } from '@hosting/postgres/api-keys'
import { putUser } from '@hosting/postgres/directory'
import { expect, test } from '@jest/globals'
import { randomBytes, randomUUID } from 'node:crypto'
import { useDatabase } from '../support/database.ts'
import { makeTenant } from '../support/fixtures.ts'

const database = useDatabase()

async function makeKey(): Promise<string> {
  const { id } = createKeyToken()
  const [tenantId, userId] = [await makeTenant(database), randomUUID()]
  const user = { id: userId, tenantId, email: `${userId}@example.test`, name: 'Ana' }
  await database.prisma.$transaction((tx) =>
    putUser(tx, { ...user, status: 'active', roles: [] }, []),
  )
  await createApiKey(database.prisma, {
    id,
    secretHash: randomBytes(32),
    tenantId,
    userId,
    createdById: userId,
    kind: 'personal',
    source: 'api',
    name: 'a key',
    scopes: [],
    expiresAt: null,
    rateLimitPerMinute: rateLimitMax,
  })
  return id
}

const use = (keyId: string, at: string, requests = 1, lastUsedIp = '192.0.2.1'): KeyUsage => ({
  keyId,
  date: at.slice(0, 10),
  requests,
  refused: 0,
  rateLimited: 0,
  lastUsedAt: new Date(at),
  lastUsedIp,
})

/** The requests of each day. */
async function usageOf(keyId: string, since = '2026-01-01') {
  const usage = await listKeyUsage(database, keyId, since)
  return new Map([...usage].map(([date, { requests }]) => [date, requests]))
}

const lastUseOf = async (id: string) => {
  const { lastUsedAt, lastUsedIp } = await database.prisma.apiKey.findUniqueOrThrow({
    where: { id },
  })
  return [lastUsedAt?.toISOString(), lastUsedIp]
}

test('counts add up per day, across midnight and over concurrent processes', async () => {
  const [first, second] = [await makeKey(), await makeKey()]
  await addKeyUsage(database, [
    use(first, '2026-03-01T23:59:59.999Z', 3),
    use(first, '2026-03-02T00:00:00.000Z', 2),
    use(second, '2026-03-02T00:00:00.000Z', 7),
  ])
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => {
      const usage = [first, second].map((id) => use(id, '2026-03-02T00:00:01.000Z'))
      return addKeyUsage(database, index % 2 === 0 ? usage : usage.toReversed())
    }),
  )
  expect(await usageOf(first)).toEqual(
    new Map([
      ['2026-03-02', 22],
      ['2026-03-01', 3],
    ]),
  )
  expect(await usageOf(second)).toEqual(new Map([['2026-03-02', 27]]))
  expect(await usageOf(first, '2026-03-02')).toEqual(new Map([['2026-03-02', 22]]))
})

test('each outcome is counted separately', async () => {
  const id = await makeKey()
  const at = '2026-03-02T10:00:00.000Z'
  await addKeyUsage(database, [{ ...use(id, at, 5), refused: 2, rateLimited: 1 }])
  await addKeyUsage(database, [
    { ...use(id, at, 3), refused: 1 },
    { ...use(id, at, 0), rateLimited: 4 },
  ])
  expect(await listKeyUsage(database, id, '2026-03-02')).toEqual(
    new Map([['2026-03-02', { requests: 8, refused: 3, rateLimited: 5 }]]),
  )
})

test('the last use is the latest of all uses that are recorded together', async () => {
  const id = await makeKey()
  await addKeyUsage(database, [
    use(id, '2026-03-02T00:00:01.000Z', 1, '192.0.2.2'),
    use(id, '2026-03-01T23:59:59.000Z', 1, '192.0.2.3'),
  ])
  expect(await lastUseOf(id)).toEqual(['2026-03-02T00:00:01.000Z', '192.0.2.2'])
})

test('the last use never moves back', async () => {
  const id = await makeKey()
  await addKeyUsage(database, [use(id, '2026-03-02T10:00:00.000Z', 1, '192.0.2.2')])
  await addKeyUsage(database, [use(id, '2026-03-02T09:00:00.000Z', 4, '192.0.2.3')])
  expect(await lastUseOf(id)).toEqual(['2026-03-02T10:00:00.000Z', '192.0.2.2'])
  await addKeyUsage(database, [use(id, '2026-03-02T11:00:00.000Z', 1, '2001:db8::1')])
  expect(await lastUseOf(id)).toEqual(['2026-03-02T11:00:00.000Z', '2001:db8::1'])
  expect(await usageOf(id)).toEqual(new Map([['2026-03-02', 6]]))
})

test('uses of a deleted key are dropped, and all others are recorded', async () => {
  const [id, deleted] = [await makeKey(), await makeKey()]
  await database.prisma.apiKey.delete({ where: { id: deleted } })
  const at = '2026-03-02T10:00:00.000Z'
  await addKeyUsage(database, [use(deleted, at, 5), use(id, at, 2), use('aaaaaaaaaaaa', at, 1)])
  expect(await usageOf(id)).toEqual(new Map([['2026-03-02', 2]]))
  expect(await usageOf(deleted)).toEqual(new Map())
})

test('the use of a key does not change its version, so no process reloads the key', async () => {
  const id = await makeKey()
  const versionOf = async () =>
    (await database.prisma.apiKey.findUniqueOrThrow({ where: { id } })).version
  const before = await versionOf()
  await addKeyUsage(database, [use(id, '2026-03-02T10:00:00.000Z')])
  expect(await versionOf()).toBe(before)
})
