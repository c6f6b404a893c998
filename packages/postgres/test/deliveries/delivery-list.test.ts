import {
  abandonDeliveries,
  listDeliveries,
  type DeliveryFilter,
} from '@hosting/postgres/deliveries'
import { publishEvents } from '@hosting/postgres/webhooks'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { endDeliveries } from '../../../../test/support/stored-deliveries.ts'
import { agedRecords, daysAgo } from '../support/aged-records.ts'
import { useDatabase } from '../support/database.ts'
import {
  buildEvent,
  claim,
  failAttempt,
  makeSubscriber,
  publish,
  removeEndpoint,
  setEnabled,
  succeed,
} from '../support/fixtures.ts'

const database = useDatabase({ partitions: true })

/** An organization with a delivery of each of these days, newest first. */
async function makeHistory(...days: number[]) {
  const aged = agedRecords(database)
  const ids: string[] = []
  for (const day of days) ids.push(await aged.addDelivery(await aged.addEvent(day), day, day))
  return { tenantId: aged.tenantId, ids }
}

const listIds = async (filter: DeliveryFilter, take = 50, beforeId?: string): Promise<string[]> =>
  (await listDeliveries(database, filter, { take, beforeId })).rows.map(({ id }) => id)

async function walk(filter: DeliveryFilter, take: number): Promise<string[]> {
  const seen: string[] = []
  for (;;) {
    const page = await listIds(filter, take, seen.at(-1))
    seen.push(...page)
    if (page.length < take) return seen
  }
}

describe('a list of deliveries', () => {
  test('continues over days without deliveries, and lists each delivery once for any page size', async () => {
    const { tenantId, ids } = await makeHistory(0, 0.5, 1, 1.9, 2.1, 3, 9, 9.5, 28)
    for (const take of [1, 2, 3, 4, 100]) expect(await walk({ tenantId }, take)).toEqual(ids)
  })

  test('contains only deliveries within the times of its filter', async () => {
    const { tenantId, ids } = await makeHistory(0, 1, 3, 9, 28)
    const between = (since: number, until: number) =>
      walk({ tenantId, sinceMs: daysAgo(since).getTime(), untilMs: daysAgo(until).getTime() }, 2)
    expect(await between(29, 2)).toEqual(ids.slice(2))
    expect(await between(10, 0.5)).toEqual(ids.slice(1, 4))
    expect(await between(1.5, 0.5)).toEqual(ids.slice(1, 2))
    expect(await between(27, 10)).toEqual([])
  })

  test('of an object excludes objects whose ids differ in case, and continues beyond them', async () => {
    const { tenantId } = await makeSubscriber(database)
    const of = async (objectId: string) => {
      const subject = { objectId, accountId: null, name: null }
      const event = buildEvent(tenantId, { subject })
      const { deliveries } = await publishEvents(database, [event], undefined)
      return deliveries[0]!.deliveryId
    }
    const oldest = await of('Site-1')
    for (let others = 5; others > 0; others--) await of('site-1')
    const newest = await of('Site-1')
    expect(await listIds({ tenantId, objectId: 'Site-1' }, 2)).toEqual([newest, oldest])
  })

  test('finds the deliveries of an event by its generated or given id', async () => {
    const { tenantId } = await makeSubscriber(database)
    const minted = buildEvent(tenantId)
    const given = buildEvent(tenantId, { idGiven: true, eventId: randomUUID() })
    const { deliveries } = await publishEvents(database, [minted, given], undefined)
    expect(deliveries).toHaveLength(2)
    for (const { eventId } of [minted, given]) {
      const listed = await listDeliveries(
        database,
        { tenantId, eventId },
        { take: 50, beforeId: undefined },
      )
      expect(listed.rows).toMatchObject([{ eventId }])
    }
    expect(await listIds({ tenantId, eventId: given.id })).toEqual([])
    expect(await listIds({ tenantId: randomUUID(), eventId: given.eventId })).toEqual([])
  })
})

describe('a filter that matches few of many deliveries', () => {
  const walkParts = async (filter: DeliveryFilter, take: number, examined: number) => {
    const ids: string[] = []
    const sizes: number[] = []
    for (let beforeId: string | undefined, parts = 0; parts < 50; parts++) {
      const page = { take, beforeId }
      const { rows, examinedTo } = await listDeliveries(database, filter, page, examined)
      ids.push(...rows.map(({ id }) => id))
      sizes.push(rows.length)
      const next: string | undefined = rows.length === take ? rows.at(-1)!.id : examinedTo
      if (next === undefined) return { ids, sizes }
      beforeId = next
    }
    throw new Error('The walk does not end.')
  }

  test('examines at most its limit for a page, and skips no match', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const unfinished = await makeSubscriber(database)
    const ids = await publish(database, tenantId, { count: 12 })
    await publish(database, unfinished.tenantId, { count: 12 })
    const succeeded = [ids[1]!, ids[10]!]
    await succeed(database, succeeded)
    const others = ids.filter((id) => !succeeded.includes(id))
    await endDeliveries(database, others, { outcome: 'dead' })
    const filter = { tenantId, status: 'succeeded' } as const
    const expected = succeeded.toSorted().toReversed()
    const walked = await walkParts(filter, 5, 4)
    expect(walked.ids).toEqual(expected)
    expect(walked.sizes).toEqual([1, 0, 1, 0])
    expect((await walkParts({ ...filter, endpointId }, 1, 3)).ids).toEqual(expected)
    expect((await walkParts(filter, 5, 100)).sizes).toEqual([2])
    for (const subscriber of [{ tenantId, endpointId }, unfinished]) {
      const other = { ...subscriber, eventType: 'dns.zone_created' }
      expect((await walkParts(other, 5, 5)).sizes).toEqual([0, 0, 0])
    }
  })

  test('finds deliveries of one status in the queue behind any number in another', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const [first, second, ...retried] = await publish(database, tenantId, { count: 8 })
    for (const id of retried) await failAttempt(database, id, { delayMs: 60_000 })
    const newestFirst = (ids: string[]) => ids.toSorted().toReversed()
    const walkStatus = async (status: NonNullable<DeliveryFilter['status']>) =>
      (await walkParts({ tenantId, status }, 2, 1)).ids
    expect(await walkStatus('queued')).toEqual(newestFirst([first!, second!]))
    expect(await walkStatus('waiting_retry')).toEqual(newestFirst(retried))
    await claim(database, first!)
    expect(await walkStatus('in_flight')).toEqual([first])
    expect(await walkStatus('queued')).toEqual([second])
    await setEnabled(database, endpointId, false)
    expect(await walkStatus('waiting_endpoint')).toEqual(newestFirst([second!, ...retried]))
    expect(await walkStatus('in_flight')).toEqual([first])
    expect(await walkStatus('waiting_retry')).toEqual([])
    await removeEndpoint(database, endpointId)
    expect(await walkStatus('dead')).toEqual(newestFirst([second!, ...retried]))
    expect(await walkStatus('waiting_endpoint')).toEqual([])
    await abandonDeliveries(database)
    expect(await walkStatus('dead')).toEqual(newestFirst([second!, ...retried]))
    expect(await walkStatus('in_flight')).toEqual([first])
  })
})
