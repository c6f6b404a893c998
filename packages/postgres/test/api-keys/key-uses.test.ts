import { keyUseCombinationsMax } from '@hosting/core/api-keys'
import {
  addKeyUses,
  findApiKey,
  listKeyUsage,
  listKeyUses,
  type CountedKeyUse,
} from '@hosting/postgres/api-keys'
import { expect, test } from '@jest/globals'
import { keyUse } from '../../../../test/support/key-uses.ts'
import { useDatabase } from '../support/database.ts'
import { makeKey } from '../support/make-key.ts'

const database = useDatabase()

const hour = '2026-03-02T10:00:00.000Z'
const sum = (uses: readonly { readonly requests: number }[]): number =>
  uses.reduce((total, { requests }) => total + requests, 0)

const usesOf = (keyId: string, by: 'hour' | 'day' = 'hour') =>
  listKeyUses(
    database,
    { keyId, by, since: new Date('2026-03-01T00:00:00Z'), until: new Date('2026-03-08T00:00:00Z') },
    { after: undefined, take: 1_000 },
  )

const fromAddress = (keyId: string, address: string, change: Partial<CountedKeyUse> = {}) =>
  keyUse(keyId, hour, { address, lastUsedIp: address, ...change })

/** That many combinations, each of a first part of an address. */
const manyUses = (keyId: string, first: number, number: number) =>
  Array.from({ length: number }, (_, index) =>
    fromAddress(keyId, `10.${first}.${index >> 8}.${index & 255}`),
  )

test('requests that agree in hour, operation, status, address and secret are one row', async () => {
  const { id } = await makeKey(database)
  const agreeing = keyUse(id, '2026-03-02T10:10:00Z', { requests: 2 })
  const others: Partial<CountedKeyUse>[] = [
    { operation: null },
    { status: 404 },
    { address: '2001:db8:0:0::/64' },
    { isPrevious: true },
    { start: new Date('2026-03-02T11:00:00Z') },
  ]
  await addKeyUses(database, [agreeing, ...others.map((other) => ({ ...agreeing, ...other }))])
  await addKeyUses(database, [keyUse(id, '2026-03-02T10:59:59Z', { requests: 3 })])
  const uses = await usesOf(id)
  expect(uses).toHaveLength(1 + others.length)
  expect(uses.filter(({ requests }) => requests === 5)).toMatchObject([
    { operation: 'sites.list', status: 200, address: '192.0.2.1', isPrevious: false },
  ])
  expect(uses[0]!.start).toEqual(new Date('2026-03-02T11:00:00Z'))
  expect(await usesOf(id, 'day')).toHaveLength(others.length)
})

test(`processes that add uses at the same time keep ${keyUseCombinationsMax} combinations of an hour together, and the rest in one row`, async () => {
  const { id } = await makeKey(database)
  const batches = Array.from({ length: 8 }, (_, first) => manyUses(id, first, 60))
  const shared = fromAddress(id, '192.0.2.7')
  await Promise.all(batches.map((batch) => addKeyUses(database, [...batch, shared])))
  await Promise.all(batches.map((batch) => addKeyUses(database, batch.toReversed())))
  const uses = await usesOf(id)
  const rest = uses.filter(({ address }) => address === null)
  expect(uses).toHaveLength(keyUseCombinationsMax + 1)
  expect(rest).toMatchObject([{ operation: null, status: 200, isPrevious: false }])
  expect(new Set(uses.map(({ address }) => address)).size).toBe(uses.length)
  expect(sum(uses)).toBe(8 * 60 * 2 + 8)
  const usage = await listKeyUsage(database, id, '2026-03-02')
  expect(usage.get('2026-03-02')!.requests).toBe(sum(uses))
})

test('the rest of an hour has a status and a secret only while all its requests agree', async () => {
  const { id } = await makeKey(database)
  await addKeyUses(database, manyUses(id, 0, keyUseCombinationsMax + 5))
  const restOf = async () => (await usesOf(id)).filter(({ address }) => address === null)
  expect(await restOf()).toMatchObject([{ status: 200, isPrevious: false, requests: 5 }])
  await addKeyUses(database, [fromAddress(id, '192.0.2.8', { status: 404, isPrevious: true })])
  expect(await restOf()).toMatchObject([{ status: null, isPrevious: null, requests: 6 }])
  await addKeyUses(database, [keyUse(id, hour, { operation: null, address: null })])
  expect(await restOf()).toMatchObject([{ status: null, isPrevious: null, requests: 7 }])
  expect(await usesOf(id, 'day')).toHaveLength(keyUseCombinationsMax + 1)
})

test('pages by the hour and by the day give every use once', async () => {
  const { id } = await makeKey(database)
  const uses = ['2026-03-02T10:00:00Z', '2026-03-02T12:00:00Z', '2026-03-03T00:00:00Z'].flatMap(
    (at) => [keyUse(id, at), keyUse(id, at, { status: 404 }), keyUse(id, at, { operation: null })],
  )
  await addKeyUses(database, uses)
  const [since, until] = [new Date('2026-03-02T23:00:00Z'), new Date('2026-03-04T00:00:00Z')]
  for (const [by, expected] of [
    ['hour', 3],
    ['day', 9],
  ] as const) {
    const found = []
    for (;;) {
      const page = { after: found.at(-1), take: 2 }
      const next = await listKeyUses(database, { keyId: id, by, since, until }, page)
      found.push(...next)
      if (next.length < page.take) break
    }
    expect(sum(found)).toBe(expected)
    const starts = found.map(({ start }) => start.getTime())
    expect(starts).toEqual(starts.toSorted((a, b) => b - a))
  }
})

test('the last use of a secret is its own, and the needed scopes have their last day', async () => {
  const { id, tenantId } = await makeKey(database)
  const { secrets } = (await findApiKey(database.prisma, tenantId, id))!
  const secretId = secrets[0]!.id
  await addKeyUses(database, [
    keyUse(id, '2026-03-02T10:00:00Z', { secretId, lastUsedIp: '192.0.2.2', scope: 'sites:read' }),
    keyUse(id, '2026-03-02T09:00:00Z', { secretId, scope: 'sites:write' }),
    keyUse(id, '2026-03-03T11:00:00Z', { lastUsedIp: '192.0.2.3' }),
  ])
  await addKeyUses(database, [keyUse(id, '2026-03-01T10:00:00Z', { scope: 'sites:read' })])
  const key = (await findApiKey(database.prisma, tenantId, id))!
  expect(key).toMatchObject({ lastUsedIp: '192.0.2.3' })
  expect(key.secrets).toMatchObject([
    { lastUsedAt: new Date('2026-03-02T10:00:00Z'), lastUsedIp: '192.0.2.2' },
  ])
  expect(key.scopeUses.map(({ scope, lastUsedOn }) => [scope, lastUsedOn])).toEqual([
    ['sites:read', new Date('2026-03-02')],
    ['sites:write', new Date('2026-03-02')],
  ])
})

test('a key that a change has locked is counted, and its last use is added later', async () => {
  const { id, tenantId } = await makeKey(database)
  const client = await database.pool.connect()
  await client.query('BEGIN')
  await client.query('SELECT 1 FROM api_keys WHERE id = $1 FOR NO KEY UPDATE', [id])
  expect(await addKeyUses(database, [keyUse(id, hour)])).toEqual(new Set([id]))
  await client.query('COMMIT')
  client.release()
  expect(await addKeyUses(database, [keyUse(id, hour, { requests: 0 })])).toEqual(new Set())
  expect(sum(await usesOf(id))).toBe(1)
  expect(await findApiKey(database.prisma, tenantId, id)).toMatchObject({
    lastUsedAt: new Date(hour),
  })
})
