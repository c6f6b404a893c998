import { mergeAttemptStats } from '@hosting/postgres/deliveries'
import { mergeUsageCounts, readTenantUsage } from '@hosting/postgres/directory'
import { publishEvents } from '@hosting/postgres/webhooks'
import { expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { explainStatements } from '../../../../test/support/statement-cost.ts'
import { recordAttempts } from '../../../../test/support/recorded-attempts.ts'
import { useDatabase } from '../support/database.ts'
import { buildEvent } from '../support/fixtures.ts'

const database = useDatabase({ partitions: true })

const dayMs = 86_400_000
const dateOf = (agoDays: number): string =>
  new Date(Date.now() - agoDays * dayMs).toISOString().slice(0, 10)

async function makeTenant(): Promise<string> {
  const id = randomUUID()
  await database.prisma.tenant.create({ data: { id, slug: id, name: 'Acme' } })
  return id
}

const publish = (tenantIds: readonly string[]) =>
  publishEvents(
    database,
    tenantIds.map((tenantId) => buildEvent(tenantId)),
    undefined,
  )

/** Records attempts of a day in the past, as a worker would have. */
const recordPast = (tenantId: string, agoDays: number, count: number) =>
  recordAttempts(
    database.pool,
    Array.from({ length: count }, () => ({
      tenantId,
      endpointId: tenantId,
      startedAt: new Date(`${dateOf(agoDays)}T12:00:00Z`),
    })),
  )

const readDay = async (tenantId: string, date: string) => {
  const [day] = await readTenantUsage(database, tenantId, { since: date, until: date })
  return day!
}

const mergeAll = async (): Promise<void> => {
  while ((await mergeAttemptStats(database)) > 0);
  while ((await mergeUsageCounts(database)) > 0);
}

test('every accepted event is counted once, even during merges', async () => {
  const [one, two] = [await makeTenant(), await makeTenant()]
  const state = { publishing: true }
  const counts: number[] = []
  const merge = async (): Promise<void> => {
    while (state.publishing) {
      await mergeUsageCounts(database, { rowsMax: 3 })
      counts.push((await readDay(one, dateOf(0))).events)
    }
  }
  const publishAll = async (): Promise<void> => {
    for (let round = 0; round < 20; round++) await publish([one, two, one])
  }
  const merging = merge()
  await Promise.all([publishAll(), publishAll(), publishAll()])
  state.publishing = false
  await merging
  expect(counts).toEqual(counts.toSorted((a, b) => a - b))
  await mergeAll()
  const { rows } = await database.pool.query<{ events: number }>(
    'SELECT count(*)::int AS events FROM events WHERE tenant_id = $1',
    [one],
  )
  expect(rows[0]!.events).toBe(120)
  expect(await readDay(one, dateOf(0))).toEqual({
    date: dateOf(0),
    requests: 0,
    events: 120,
    attempts: 0,
  })
  expect((await readDay(two, dateOf(0))).events).toBe(60)
  expect(await database.prisma.usageCount.count({ where: { tenantId: one } })).toBe(1)
})

test('an event that is committed during a merge is counted by the next one', async () => {
  const tenantId = await makeTenant()
  const client = await database.pool.connect()
  await client.query('BEGIN')
  await publishEvents(
    { pool: client as never, hotPool: undefined } as never,
    [buildEvent(tenantId)],
    undefined,
  )
  await publish([tenantId])
  await mergeAll()
  expect((await readDay(tenantId, dateOf(0))).events).toBe(1)
  await client.query('COMMIT')
  client.release()
  expect((await readDay(tenantId, dateOf(0))).events).toBe(2)
  await mergeAll()
  expect((await readDay(tenantId, dateOf(0))).events).toBe(2)
  expect(await database.prisma.usageCount.count({ where: { tenantId } })).toBe(1)
})

test('an event that is refused or repeated is not counted', async () => {
  const tenantId = await makeTenant()
  const unknown = randomUUID()
  await publish([tenantId, unknown])
  expect((await readDay(tenantId, dateOf(0))).events).toBe(0)
  expect((await readDay(unknown, dateOf(0))).events).toBe(0)
})

test('attempts remain counted after the statistics delete them', async () => {
  const tenantId = await makeTenant()
  await recordPast(tenantId, 9, 7)
  await recordPast(tenantId, 1, 5)
  const read = () => readTenantUsage(database, tenantId, { since: dateOf(9), until: dateOf(0) })
  const before = await read()
  expect(before.map(({ attempts }) => attempts)).toEqual([7, 0, 0, 0, 0, 0, 0, 0, 5, 0])
  await mergeAll()
  await mergeAll()
  const kept = await database.prisma.attemptStats.findMany({ where: { tenantId } })
  expect(kept.map(({ succeeded }) => succeeded)).toEqual([5])
  expect(await read()).toEqual(before)
})

test('requests of all keys of the organization are counted', async () => {
  const tenantId = await makeTenant()
  const userId = randomUUID()
  await database.prisma.user.create({ data: { id: userId, tenantId, name: 'Ana' } })
  for (const [index, id] of ['aaaaaaaaaaaa', 'bbbbbbbbbbbb'].entries()) {
    await database.prisma.apiKey.create({
      data: { id, tenantId, userId, kind: 'personal', source: 'api', name: id, scopes: [] },
    })
    await database.prisma.apiKeyUsage.create({
      data: { keyId: id, date: new Date(dateOf(60)), requests: 3 + index },
    })
  }
  expect((await readDay(tenantId, dateOf(60))).requests).toBe(7)
})

test('counts are kept for 400 days', async () => {
  const tenantId = await makeTenant()
  for (const agoDays of [399, 402]) {
    await database.prisma.usageCount.create({
      data: { tenantId, date: new Date(dateOf(agoDays)), events: 1 },
    })
  }
  await mergeAll()
  const rows = await database.prisma.usageCount.findMany({ where: { tenantId } })
  expect(rows.map(({ date }) => date.toISOString().slice(0, 10))).toEqual([dateOf(399)])
})

test('an hour that no merge has counted is read exactly, by the blocks of its batches', async () => {
  const [busy, other] = [await makeTenant(), await makeTenant()]
  const hour = 20_000
  // The busy organization is in each, the other one in every hundredth.
  await database.pool.query(
    `INSERT INTO usage_batches (date, tenant_ids)
     SELECT $1::date, CASE WHEN n % 100 = 0 THEN ARRAY[$2, $3, $2]::uuid[] ELSE ARRAY[$2, $2]::uuid[] END
     FROM generate_series(1, $4::int) AS n`,
    [dateOf(0), busy, other, hour],
  )
  const eventsOf = async (tenantId: string) => {
    const explained = explainStatements(database)
    const range = { since: dateOf(0), until: dateOf(0) }
    const [day] = await readTenantUsage(explained.database, tenantId, range)
    return { events: day!.events, blocks: explained.cost().blocks }
  }
  const blocksOf = async (): Promise<number> => {
    const { rows } = await database.pool.query<{ blocks: number }>(
      `SELECT (pg_relation_size('usage_batches') / 8192)::int AS blocks`,
    )
    return rows[0]!.blocks
  }
  const otherBlocks = 100
  const expectExact = async (blocksMax: number): Promise<void> => {
    for (const [tenantId, events] of [
      [busy, 2 * hour],
      [other, hour / 100],
    ] as const) {
      const read = await eventsOf(tenantId)
      expect(read.events).toBe(events)
      expect(read.blocks).toBeLessThan(blocksMax)
    }
  }
  await eventsOf(busy)
  const batches = await blocksOf()
  expect(batches).toBeGreaterThan((5 * otherBlocks) / 4)
  await expectExact(batches + otherBlocks)
  // A merge takes a part of them: what it has counted is in one row for each organization.
  expect(await mergeUsageCounts(database)).toBe(5_000)
  await expectExact(batches + otherBlocks)
  await mergeAll()
  await database.pool.query('VACUUM usage_batches')
  await expectExact(otherBlocks)
})
