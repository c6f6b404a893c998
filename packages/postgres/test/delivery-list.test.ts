import {
  listDeliveries,
  makePartitions,
  publishEvents,
  type DeliveryFilter,
} from '@hosting/postgres'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { agedRecords, daysAgo } from './support/aged-records.ts'
import { useDatabase } from './support/database.ts'
import { buildEvent, makeSubscriber } from './support/fixtures.ts'

const database = useDatabase()
beforeAll(async () => {
  await makePartitions(database)
})

/** An organization with a delivery of each of these days, newest first. */
async function makeHistory(...days: number[]) {
  const aged = agedRecords(database)
  const ids: string[] = []
  for (const day of days) ids.push(await aged.addDelivery(await aged.addEvent(day), day, day))
  return { tenantId: aged.tenantId, ids }
}

const listIds = async (filter: DeliveryFilter, take = 50, beforeId?: string): Promise<string[]> =>
  (await listDeliveries(database, filter, { take, beforeId })).map(({ id }) => id)

async function walk(filter: DeliveryFilter, take: number): Promise<string[]> {
  const seen: string[] = []
  for (;;) {
    const page = await listIds(filter, take, seen.at(-1))
    seen.push(...page)
    if (page.length < take) return seen
  }
}

describe('a list of deliveries', () => {
  test('goes on through days without any, each delivery once, whatever the size of a page', async () => {
    const { tenantId, ids } = await makeHistory(0, 0.5, 1, 1.9, 2.1, 3, 9, 9.5, 28)
    for (const take of [1, 2, 3, 4, 100]) expect(await walk({ tenantId }, take)).toEqual(ids)
  })

  test('holds to the bounds of its filter, near and far', async () => {
    const { tenantId, ids } = await makeHistory(0, 1, 3, 9, 28)
    const between = (since: number, until: number) =>
      walk({ tenantId, sinceMs: daysAgo(since).getTime(), untilMs: daysAgo(until).getTime() }, 2)
    expect(await between(29, 2)).toEqual(ids.slice(2))
    expect(await between(10, 0.5)).toEqual(ids.slice(1, 4))
    expect(await between(1.5, 0.5)).toEqual(ids.slice(1, 2))
    expect(await between(27, 10)).toEqual([])
  })

  test("finds the deliveries of an event by its public id, ours or its publisher's", async () => {
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
      expect(listed).toMatchObject([{ event_id: eventId }])
    }
    expect(await listIds({ tenantId, eventId: given.id })).toEqual([])
    expect(await listIds({ tenantId: randomUUID(), eventId: given.eventId })).toEqual([])
  })
})
