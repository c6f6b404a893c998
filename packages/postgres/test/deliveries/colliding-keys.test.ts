import {
  countDeliveriesOverTime,
  listDeliveries,
  type DeliveryFilter,
} from '@hosting/postgres/deliveries'
import { putTenant } from '@hosting/postgres/directory'
import {
  countEventsOverTime,
  listNewestEvents,
  publishEvents,
  readEventLog,
  type EventLogCursor,
  type EventLogFilter,
} from '@hosting/postgres/webhooks'
import { describe, expect, test } from '@jest/globals'
import { keyOf } from '../../src/database/index-keys.ts'
import { collidingTenantId, collidingTexts } from '../support/colliding-keys.ts'
import { useDatabase } from '../support/database.ts'
import { buildEvent, makeEndpoint, makeSubscriber, succeed } from '../support/fixtures.ts'

const database = useDatabase({ partitions: true })

const newestFirst = (ids: readonly string[]): string[] => ids.toSorted().toReversed()

/** Publishes events that have a text wherever one may be; every second one is delivered. */
async function publish(tenantId: string, text: string, count: number) {
  const ids: string[] = []
  const deliveryIds: string[] = []
  for (let number = 0; number < count; number++) {
    const subject = { objectId: text, accountId: text, name: text }
    const event = buildEvent(tenantId, { type: text, subject, payload: text })
    const { deliveries } = await publishEvents(database, [event], undefined)
    ids.push(event.id)
    deliveryIds.push(deliveries[0]!.deliveryId)
  }
  await succeed(
    database,
    deliveryIds.filter((_, index) => index % 2 === 0),
  )
  return { ids, deliveryIds }
}

/** Filters of deliveries that an index with keys finds. */
const deliveryFilters = (tenantId: string, text: string): DeliveryFilter[] => [
  { tenantId, eventType: text },
  { tenantId, objectId: text },
  { tenantId, accountId: text },
  { tenantId, search: { text, ids: undefined, isPrefix: false, eventType: text } },
  { tenantId, search: { text, ids: undefined, isPrefix: false, eventType: undefined } },
]

async function walk(filter: DeliveryFilter, take: number): Promise<string[]> {
  const ids: string[] = []
  for (let beforeId: string | undefined; ;) {
    const { rows, examinedTo } = await listDeliveries(database, filter, { take, beforeId })
    ids.push(...rows.map(({ id }) => id))
    beforeId = rows.length === take ? rows.at(-1)!.id : examinedTo
    if (beforeId === undefined) return ids
  }
}

const eventFilters = (tenantId: string, text: string): EventLogFilter[] => [
  { tenantId, objectId: text },
  { tenantId, accountId: text },
  { tenantId, objectId: text, accountId: text },
]

async function walkLog(filter: EventLogFilter, examinedMax: number): Promise<string[]> {
  const found: string[] = []
  for (let cursor: EventLogCursor | undefined; ;) {
    const start = cursor && { cursor }
    const page = await readEventLog(database, filter, { start, take: 3, examinedMax })
    if (page === 'too_old') throw new Error('The cursor is too old')
    found.push(...page.payloads)
    if (page.payloads.length === 0 && page.next.position === cursor?.position) return found
    cursor = page.next
  }
}

async function walkNewest(filter: EventLogFilter, examinedMax: number): Promise<string[]> {
  const found: string[] = []
  for (let before: string | undefined; ;) {
    const page = await listNewestEvents(database, filter, { before, take: 3, examinedMax })
    found.push(...page.events.map(({ id }) => id))
    if (page.next === null) return found
    before = page.next
  }
}

/** Expects that every read by a text finds what was published with it in the organization, and nothing else. */
async function expectOnly(
  tenantId: string,
  text: string,
  { ids, deliveryIds }: Awaited<ReturnType<typeof publish>>,
): Promise<void> {
  const span = { sinceMs: Date.now() - 3_600_000, untilMs: Date.now() + 3_600_000 }
  const spans = { startsMs: [span.sinceMs], msMax: 60_000 }
  for (const filter of deliveryFilters(tenantId, text)) {
    for (const take of [1, 3, 50]) {
      expect(await walk(filter, take)).toEqual(newestFirst(deliveryIds))
    }
    const { buckets } = await countDeliveriesOverTime(database, { ...filter, ...span }, spans)
    const finished = Math.ceil(ids.length / 2)
    expect(buckets).toEqual([{ succeeded: finished, dead: 0, open: ids.length - finished }])
  }
  for (const filter of eventFilters(tenantId, text)) {
    expect(await walkLog(filter, 2)).toEqual(ids.map(() => text))
    expect(await walkNewest(filter, 2)).toEqual(newestFirst(ids))
    const { events } = await countEventsOverTime(database, { ...filter, ...span }, spans)
    expect(events).toEqual([ids.length])
  }
}

/** The keys of a text in some organizations. */
async function keysOf(tenantIds: readonly string[], text: string): Promise<string[]> {
  const { rows } = await database.pool.query<{ key: string }>(
    `SELECT ${keyOf('$2::text', 'id')} AS key FROM unnest($1::uuid[]) AS id`,
    [tenantIds, text],
  )
  return rows.map(({ key }) => key)
}

describe('values with the same key in the indexes', () => {
  test('of one organization are told apart', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [text, other] = await collidingTexts(database, tenantId)
    expect(other).not.toBe(text)
    expect(await keysOf([tenantId], other)).toEqual(await keysOf([tenantId], text))
    const [first, others, last] = [
      await publish(tenantId, text, 3),
      await publish(tenantId, other, 8),
      await publish(tenantId, text, 2),
    ]
    const found = {
      ids: [...first.ids, ...last.ids],
      deliveryIds: [...first.deliveryIds, ...last.deliveryIds],
    }
    await expectOnly(tenantId, text, found)
    await expectOnly(tenantId, other, others)
  })

  test('of two organizations are told apart', async () => {
    const { tenantId } = await makeSubscriber(database)
    const otherId = collidingTenantId(tenantId)
    await putTenant(database.prisma, {
      id: otherId,
      slug: otherId,
      name: 'Acme',
      edition: 'standard',
    })
    await makeEndpoint(database, otherId)
    const text = 'the same in both'
    const [key, otherKey] = await keysOf([tenantId, otherId], text)
    expect(otherKey).toBe(key)
    const own = await publish(tenantId, text, 4)
    const others = await publish(otherId, text, 7)
    await expectOnly(tenantId, text, own)
    await expectOnly(otherId, text, others)
  })

  test('do not hide a delivery behind more than a page examines', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const [text, other] = await collidingTexts(database, tenantId)
    const { deliveryIds } = await publish(tenantId, text, 1)
    await database.pool.query(
      `INSERT INTO deliveries (id, tenant_id, endpoint_id, event_ref, event_id, event_type, event_created_at, outcome,
         attempt_count, completed_at, dead, object_id, account_id, event_name)
       SELECT uuid_v7(), $1, $2, $2, $2, $3, now(), 'succeeded', 1, now(), false, $3, $3, $3
       FROM generate_series(1, 5200)`,
      [tenantId, endpointId, other],
    )
    for (const filter of deliveryFilters(tenantId, text)) {
      expect(await walk(filter, 50)).toEqual(deliveryIds)
    }
  })
})
