import { addKeyUses, listKeyUsage } from '@hosting/postgres/api-keys'
import { expect, test } from '@jest/globals'
import { keyUse, keyUses } from '../../../../test/support/key-uses.ts'
import { useDatabase } from '../support/database.ts'
import { makeKey as makeKeyIn } from '../support/make-key.ts'

const database = useDatabase()

const makeKey = async () => (await makeKeyIn(database)).id

const use = (keyId: string, at: string, requests = 1, lastUsedIp = '192.0.2.1') =>
  keyUse(keyId, at, { requests, lastUsedIp })

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
  await addKeyUses(database, [
    use(first, '2026-03-01T23:59:59.999Z', 3),
    use(first, '2026-03-02T00:00:00.000Z', 2),
    use(second, '2026-03-02T00:00:00.000Z', 7),
  ])
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => {
      const usage = [first, second].map((id) => use(id, '2026-03-02T00:00:01.000Z'))
      return addKeyUses(database, index % 2 === 0 ? usage : usage.toReversed())
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
  await addKeyUses(database, keyUses(id, at, { requests: 5, refused: 2, rateLimited: 1 }))
  await addKeyUses(database, keyUses(id, at, { requests: 7, refused: 1, rateLimited: 4 }))
  expect(await listKeyUsage(database, id, '2026-03-02')).toEqual(
    new Map([['2026-03-02', { requests: 12, refused: 3, rateLimited: 5 }]]),
  )
})

test('the last use is the latest of all uses that are recorded together', async () => {
  const id = await makeKey()
  await addKeyUses(database, [
    use(id, '2026-03-02T00:00:01.000Z', 1, '192.0.2.2'),
    use(id, '2026-03-01T23:59:59.000Z', 1, '192.0.2.3'),
  ])
  expect(await lastUseOf(id)).toEqual(['2026-03-02T00:00:01.000Z', '192.0.2.2'])
})

test('the last use never moves back', async () => {
  const id = await makeKey()
  await addKeyUses(database, [use(id, '2026-03-02T10:00:00.000Z', 1, '192.0.2.2')])
  await addKeyUses(database, [use(id, '2026-03-02T09:00:00.000Z', 4, '192.0.2.3')])
  expect(await lastUseOf(id)).toEqual(['2026-03-02T10:00:00.000Z', '192.0.2.2'])
  await addKeyUses(database, [use(id, '2026-03-02T11:00:00.000Z', 1, '2001:db8::1')])
  expect(await lastUseOf(id)).toEqual(['2026-03-02T11:00:00.000Z', '2001:db8::1'])
  expect(await usageOf(id)).toEqual(new Map([['2026-03-02', 6]]))
})

test('uses of a deleted key are dropped, and all others are recorded', async () => {
  const [id, deleted] = [await makeKey(), await makeKey()]
  await database.prisma.apiKey.delete({ where: { id: deleted } })
  const at = '2026-03-02T10:00:00.000Z'
  await addKeyUses(database, [use(deleted, at, 5), use(id, at, 2), use('aaaaaaaaaaaa', at, 1)])
  expect(await usageOf(id)).toEqual(new Map([['2026-03-02', 2]]))
  expect(await usageOf(deleted)).toEqual(new Map())
})

test('the use of a key does not change its version, so no process reloads the key', async () => {
  const id = await makeKey()
  const versionOf = async () =>
    (await database.prisma.apiKey.findUniqueOrThrow({ where: { id } })).version
  const before = await versionOf()
  await addKeyUses(database, [use(id, '2026-03-02T10:00:00.000Z')])
  expect(await versionOf()).toBe(before)
})
