import { parseDeliverySearch } from '@hosting/core/webhooks'
import {
  countDeliveriesOverTime,
  findDelivery,
  listDeliveries,
  type DeliveryFilter,
} from '@hosting/postgres/deliveries'
import { countCompleteness, publishEvents } from '@hosting/postgres/webhooks'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useDatabase } from '../support/database.ts'
import {
  buildEvent,
  failAttempt,
  makeEndpoint,
  makeSubscriber,
  publish,
  succeed,
  timeOut,
} from '../support/fixtures.ts'

const database = useDatabase({ partitions: true })

const newestFirst = (ids: readonly string[]): string[] => ids.toSorted().toReversed()

interface Subscriber {
  readonly tenantId: string
  readonly endpointId: string
}

/** Filters that all deliveries of {@link buildEvent} match. */
const filtersOf = ({ tenantId, endpointId }: Subscriber): DeliveryFilter[] => [
  { tenantId },
  { tenantId, endpointId },
  { tenantId, eventType: 'site.created' },
  { tenantId, objectId: 'site-1' },
  { tenantId, accountId: 'account-1', endpointId },
  ...['site.created', 'shop.example', 'site-1'].map((text) => ({
    tenantId,
    search: parseDeliverySearch(text),
  })),
]

/** Walks through a list. Between two pages, something happens. */
async function walk(
  filter: DeliveryFilter,
  take: number,
  between: () => Promise<void> = () => Promise.resolve(),
): Promise<string[]> {
  const ids: string[] = []
  for (let beforeId: string | undefined; ;) {
    const { rows, examinedTo } = await listDeliveries(database, filter, { take, beforeId })
    ids.push(...rows.map(({ id }) => id))
    beforeId = rows.length === take ? rows.at(-1)!.id : examinedTo
    if (beforeId === undefined) return ids
    await between()
  }
}

/** An endpoint whose deliveries are finished and unfinished in turn. */
async function makeMixed(count: number) {
  const subscriber = await makeSubscriber(database)
  const ids = await publish(database, subscriber.tenantId, { count })
  await succeed(
    database,
    ids.filter((_, index) => index % 2 === 0),
  )
  return { ...subscriber, ids }
}

describe('a delivery is in the queue, then in the history', () => {
  test('and every list shows it exactly once while it finishes', async () => {
    const subscriber = await makeSubscriber(database)
    const ids = await publish(database, subscriber.tenantId, { count: 60 })
    const expected = newestFirst(ids)
    const finishing = { isOn: true }
    const finish = async (): Promise<void> => {
      for (let index = 0; index < ids.length; index += 2) {
        await succeed(database, ids.slice(index, index + 2))
      }
      finishing.isOn = false
    }
    const read = async (filter: DeliveryFilter): Promise<void> => {
      while (finishing.isOn) {
        const { rows } = await listDeliveries(database, filter, { take: 60, beforeId: undefined })
        expect(rows.map(({ id }) => id)).toEqual(expected)
      }
    }
    await Promise.all([finish(), ...filtersOf(subscriber).map(read)])
  })

  test('and every count contains it exactly once while it finishes', async () => {
    const subscriber = await makeSubscriber(database)
    const { tenantId, endpointId } = subscriber
    const ids = await publish(database, tenantId, { count: 40 })
    const finishing = { isOn: true }
    const finish = async (): Promise<void> => {
      for (const id of ids) await succeed(database, [id])
      finishing.isOn = false
    }
    const sinceMs = Date.now() - 3_600_000
    const countOverTime = async (filter: DeliveryFilter): Promise<number> => {
      const spans = { startsMs: [sinceMs], msMax: 10_000 }
      const { buckets } = await countDeliveriesOverTime(database, { ...filter, sinceMs }, spans)
      return buckets.reduce((sum, { succeeded, dead, open }) => sum + succeeded + dead + open, 0)
    }
    const countEvents = async (): Promise<number> => {
      const counts = await countCompleteness(database, subscriber, { sinceMs, msMax: 10_000 })
      if (counts === 'too_long') throw new Error('The count took too long')
      return counts.delivered + counts.waiting
    }
    const repeat = async (count: () => Promise<number>): Promise<void> => {
      while (finishing.isOn) expect(await count()).toBe(ids.length)
    }
    const filters = [{ tenantId }, { tenantId, endpointId }, { tenantId, objectId: 'site-1' }]
    const counts = [countEvents, ...filters.map((filter) => () => countOverTime(filter))]
    await Promise.all([finish(), ...counts.map(repeat)])
  })

  test('and its own page finds it while it finishes', async () => {
    const { tenantId } = await makeSubscriber(database)
    const ids = await publish(database, tenantId, { count: 20 })
    for (const id of ids) {
      const finishing = { isOn: true }
      const finish = succeed(database, [id]).finally(() => (finishing.isOn = false))
      while (finishing.isOn) {
        expect((await findDelivery(database, tenantId, id))!.delivery.id).toBe(id)
      }
      await finish
    }
  })
})

describe('pages over the border of the queue and the history', () => {
  test('contain each delivery once, for any page size and filter', async () => {
    const mixed = await makeMixed(14)
    for (const filter of filtersOf(mixed)) {
      for (const take of [1, 2, 3, 7, 50]) {
        expect(await walk(filter, take)).toEqual(newestFirst(mixed.ids))
      }
    }
  })

  test('neither repeat nor skip a delivery that finishes between two of them', async () => {
    for (const [index] of filtersOf({ tenantId: '', endpointId: '' }).entries()) {
      const mixed = await makeMixed(12)
      const unfinished = mixed.ids.filter((_, position) => position % 2 === 1)
      const filter = filtersOf(mixed)[index]!
      // From both ends, so that shown and coming deliveries finish.
      const between = async (): Promise<void> => {
        const next = [unfinished.shift(), unfinished.pop()].filter((id) => id !== undefined)
        if (next.length > 0) await succeed(database, next)
      }
      expect(await walk(filter, 3, between)).toEqual(newestFirst(mixed.ids))
    }
  })
})

describe('a filter finds deliveries in both places', () => {
  test('by their events', async () => {
    const { tenantId } = await makeSubscriber(database)
    const of = async (members: Parameters<typeof buildEvent>[1]): Promise<string> => {
      const { deliveries } = await publishEvents(
        database,
        [buildEvent(tenantId, members)],
        undefined,
      )
      return deliveries[0]!.deliveryId
    }
    const subjectOf = (objectId: string) => ({
      subject: { objectId, accountId: `account of ${objectId}`, name: `${objectId}.example` },
    })
    const [first, second] = [await of(subjectOf('one-object')), await of(subjectOf('one-object'))]
    const others = [await of(subjectOf('another-object')), await of(subjectOf('another-object'))]
    await succeed(database, [first, others[0]!])
    const find = (filter: Partial<DeliveryFilter>) => walk({ tenantId, ...filter }, 1)
    const expected = newestFirst([first, second])
    expect(await find({ objectId: 'one-object' })).toEqual(expected)
    expect(await find({ accountId: 'account of one-object' })).toEqual(expected)
    expect(await find({ objectId: 'one-object', accountId: 'account-1' })).toEqual([])
    for (const text of ['One-Object', 'one-obje', 'one-object.example']) {
      expect(await find({ search: parseDeliverySearch(text) })).toEqual(expected)
    }
    expect(await find({ objectId: 'one-object', status: 'queued' })).toEqual([second])
    expect(await find({ objectId: 'one-object', status: 'succeeded' })).toEqual([first])
  })

  test('by their last attempt', async () => {
    const { tenantId } = await makeSubscriber(database)
    const [retried, failed] = await publish(database, tenantId, { count: 3 })
    await failAttempt(database, retried!, { delayMs: 60_000 })
    await timeOut(database, failed!)
    const find = (filter: Partial<DeliveryFilter>) => walk({ tenantId, ...filter }, 1)
    expect(await find({ statusCode: 500 })).toEqual([retried])
    expect(await find({ errorClass: 'timeout' })).toEqual([failed])
    for (const subject of [{ objectId: 'site-1' }, { accountId: 'account-1' }]) {
      expect(await find({ ...subject, errorClass: 'http_error' })).toEqual([retried])
      expect(await find({ ...subject, errorClass: 'timeout' })).toEqual([failed])
    }
  })

  test('by an id, behind a queue that is longer than what a search examines', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const eventId = randomUUID()
    const given = buildEvent(tenantId, { idGiven: true, eventId })
    const { deliveries } = await publishEvents(database, [given], undefined)
    const { deliveryId } = deliveries[0]!
    await database.pool.query(
      `INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, due_at, held_until)
       SELECT uuid_v7(), $1, $2, uuid_v7(), now(), 'epoch' FROM generate_series(1, 2500)`,
      [tenantId, endpointId],
    )
    const search = async (text: string): Promise<string[]> => {
      const filter = { tenantId, search: parseDeliverySearch(text) }
      const { rows } = await listDeliveries(database, filter, { take: 50, beforeId: undefined })
      return rows.map(({ id }) => id)
    }
    const isFound = async (): Promise<void> => {
      expect(await search(deliveryId)).toEqual([deliveryId])
      expect(await search(eventId.slice(0, 8))).toEqual([deliveryId])
      expect(await search(given.id)).toEqual([])
    }
    await isFound()
    await succeed(database, [deliveryId])
    await isFound()
  })
})

test('the newest of the queue are the same whatever the shares of the endpoints', async () => {
  const { tenantId, endpointId } = await makeSubscriber(database)
  const endpoints = [endpointId]
  for (let more = 0; more < 3; more++) endpoints.push(await makeEndpoint(database, tenantId))
  for (const shares of [
    [100, 0, 0, 0],
    [40, 1, 1, 58],
    [25, 25, 25, 25],
  ]) {
    const drawn = shares.flatMap((share, index) => Array<string>(share).fill(endpoints[index]!))
    await database.pool.query('DELETE FROM pending_deliveries WHERE tenant_id = $1', [tenantId])
    await database.pool.query(
      `INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, attempts_made, due_at, held_until)
       SELECT uuid_v7(), $1, e.id, uuid_v7(), e.number % 3, now(), 'epoch'
       FROM unnest($2::uuid[]) WITH ORDINALITY AS e (id, number)`,
      [tenantId, drawn],
    )
    const { rows } = await database.pool.query<{ id: string }>(
      'SELECT delivery_id AS id FROM pending_deliveries WHERE tenant_id = $1 ORDER BY 1 DESC',
      [tenantId],
    )
    const ids = rows.map(({ id }) => id)
    for (const take of [1, 7, 99, 100, 200]) {
      const page = await listDeliveries(database, { tenantId }, { take, beforeId: undefined })
      expect(page.rows.map(({ id }) => id)).toEqual(ids.slice(0, take))
      const next = await listDeliveries(database, { tenantId }, { take, beforeId: ids[49] })
      expect(next.rows.map(({ id }) => id)).toEqual(ids.slice(50, 50 + take))
    }
  }
})
