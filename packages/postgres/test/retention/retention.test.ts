import { dropExpiredRecords, type RetentionOptions } from '@hosting/postgres/retention'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { agedRecords, clearRecords, nothingRemoved } from '../support/aged-records.ts'
import { useDatabase } from '../support/database.ts'

const database = useDatabase({ partitions: true })
beforeEach(() => clearRecords(database))

const removeExpired = (options?: RetentionOptions) => dropExpiredRecords(database, options)

const countPublishedIds = async (): Promise<number> =>
  (await database.pool.query('SELECT 1 FROM published_event_ids')).rowCount!

describe('attempts', () => {
  test('are dropped with their day 30 days after they were created, not before', async () => {
    const aged = agedRecords(database)
    const event = await aged.addEvent(1)
    const delivery = await aged.addDelivery(event, 1)
    const old = [await aged.addAttempt(delivery, 31), await aged.addAttempt(delivery, 31)]
    const young = await aged.addAttempt(delivery, 29)
    expect(await removeExpired()).toEqual({
      ...nothingRemoved,
      partitionsDropped: 3,
      attemptsDeleted: 2,
    })
    expect(await aged.present(...old, young, delivery, event)).toEqual([young, delivery, event])
    expect(await aged.partitionsOf(31)).toEqual([])
    expect(await removeExpired()).toEqual(nothingRemoved)
  })
})

describe('deliveries', () => {
  test('are dropped with their day and their events 30 days after the last of them ended', async () => {
    const aged = agedRecords(database)
    const event = await aged.addEvent(40)
    const deliveries = [
      await aged.addDelivery(event, 40, 40),
      await aged.addDelivery(event, 40, 31),
    ]
    expect(await removeExpired()).toEqual({
      ...nothingRemoved,
      partitionsDropped: 3,
      deliveriesDeleted: 2,
      eventsDeleted: 1,
    })
    expect(await aged.present(event, ...deliveries)).toEqual([])
  })

  test('are counted from their end, however old they are', async () => {
    const aged = agedRecords(database)
    const event = await aged.addEvent(40)
    const over = await aged.addDelivery(event, 40, 31)
    const kept = await aged.addDelivery(event, 40, 5)
    expect(await removeExpired()).toEqual({
      ...nothingRemoved,
      partitionsDropped: 1,
      deliveriesDeleted: 1,
    })
    expect(await aged.present(event, over, kept)).toEqual([event, kept])
  })

  test('are deleted in batches if part of their day must remain', async () => {
    const aged = agedRecords(database)
    const events: string[] = []
    for (let index = 0; index < 7; index++) events.push(await aged.addEvent(40, { given: true }))
    for (const event of events) await aged.addDelivery(event, 40, 39)
    const kept = await aged.addDelivery(events[3]!, 40)
    expect(await removeExpired({ batchMax: 2 })).toEqual({
      ...nothingRemoved,
      partitionsDropped: 1,
      deliveriesDeleted: 7,
      eventsDeleted: 6,
    })
    expect(await aged.present(...events, kept)).toEqual([events[3], kept])
    expect(await countPublishedIds()).toBe(1)
    expect(await aged.partitionsOf(40)).toEqual(['events', 'deliveries'])
  })

  test('that are unfinished for 40 days are kept, with their events and the attempts of the last 30 days', async () => {
    const aged = agedRecords(database)
    const event = await aged.addEvent(40)
    const delivery = await aged.addDelivery(event, 40)
    const [first, last] = [await aged.addAttempt(delivery, 39), await aged.addAttempt(delivery, 12)]
    expect(await removeExpired()).toMatchObject({
      attemptsDeleted: 1,
      deliveriesDeleted: 0,
      eventsDeleted: 0,
    })
    expect(await aged.present(event, delivery, first, last)).toEqual([event, delivery, last])

    await aged.end(delivery, 0)
    expect(await removeExpired()).toEqual(nothingRemoved)
    await aged.end(delivery, 31)
    expect(await removeExpired()).toMatchObject({
      attemptsDeleted: 0,
      deliveriesDeleted: 1,
      eventsDeleted: 1,
    })
  })

  test('are not deleted one by one if their day is dropped within a day', async () => {
    const aged = agedRecords(database)
    const event = await aged.addEvent(32)
    const over = await aged.addDelivery(event, 32, 32)
    const soon = await aged.addDelivery(event, 32, 29.5)
    expect(await removeExpired()).toMatchObject({ deliveriesDeleted: 0, eventsDeleted: 0 })
    expect(await aged.present(event, over, soon)).toEqual([event, over, soon])
    await aged.end(soon, 30.5)
    expect(await removeExpired()).toMatchObject({
      partitionsDropped: 2,
      deliveriesDeleted: 2,
      eventsDeleted: 1,
    })
  })
})

describe('a day of many pages', () => {
  /** Deliveries that ended long ago, enough for many pages. */
  async function addMany(aged: ReturnType<typeof agedRecords>): Promise<string> {
    const event = await aged.addEvent(40)
    await aged.addDelivery(event, 40, 39)
    await database.pool.query(
      `INSERT INTO deliveries (id, tenant_id, endpoint_id, event_ref, event_id, event_type, event_created_at, outcome,
         dead, completed_at)
       SELECT overlay(id::text PLACING lpad(to_hex(n), 12, '0') FROM 25)::uuid, tenant_id, endpoint_id, event_ref,
         event_id, event_type, event_created_at, outcome, dead, completed_at
       FROM deliveries CROSS JOIN generate_series(1, 2000) n WHERE event_ref = $1`,
      [event],
    )
    return event
  }

  test('is dropped once all of its deliveries have expired, although no statement reads more than one page', async () => {
    const aged = agedRecords(database)
    await addMany(aged)
    expect(await removeExpired({ pagesMax: 1 })).toEqual({
      ...nothingRemoved,
      partitionsDropped: 3,
      deliveriesDeleted: 2_001,
      eventsDeleted: 1,
    })
  })

  test.each([
    ['first', 'ASC', 5, { partitionsDropped: 1, deliveriesDeleted: 2_000 }],
    ['last', 'DESC', 5, { partitionsDropped: 1, deliveriesDeleted: 2_000 }],
    ['last', 'DESC', 29.5, { partitionsDropped: 1, deliveriesDeleted: 0 }],
  ] as const)(
    'is kept for a single %s delivery (%s), which ended %d days ago',
    async (_which, order, ended, removed) => {
      const aged = agedRecords(database)
      const event = await addMany(aged)
      const { rows } = await database.pool.query<{ id: string }>(
        `SELECT id::text FROM deliveries ORDER BY ctid ${order} LIMIT 1`,
      )
      await aged.end(rows[0]!.id, ended)
      expect(await removeExpired({ pagesMax: 1 })).toEqual({ ...nothingRemoved, ...removed })
      expect(await aged.present(event, rows[0]!.id)).toEqual([event, rows[0]!.id])
    },
  )
})

describe('events', () => {
  test('without deliveries are deleted 30 days after they were accepted', async () => {
    const aged = agedRecords(database)
    const [old, young] = [await aged.addEvent(31), await aged.addEvent(29)]
    expect(await removeExpired()).toMatchObject({ eventsDeleted: 1 })
    expect(await aged.present(old, young)).toEqual([young])
  })

  test('are kept while a redelivery refers to them, while others of their day are dropped', async () => {
    const aged = agedRecords(database)
    const [redelivered, other] = [await aged.addEvent(50), await aged.addEvent(50)]
    const first = await aged.addDelivery(redelivered, 50, 50)
    const again = await aged.addDelivery(redelivered, 32, 20)
    expect(await removeExpired()).toMatchObject({ deliveriesDeleted: 1, eventsDeleted: 1 })
    expect(await aged.present(redelivered, other, first, again)).toEqual([redelivered, again])
    await aged.end(again, 31)
    expect(await removeExpired()).toMatchObject({
      deliveriesDeleted: 1,
      eventsDeleted: 1,
    })
    expect(await aged.partitionsOf(50)).toEqual([])
  })

  test('free only their own given ids when they are deleted', async () => {
    const aged = agedRecords(database)
    for (const days of [45, 45, 45, 29]) await aged.addEvent(days, { given: true })
    expect(await removeExpired({ batchMax: 2 })).toMatchObject({ eventsDeleted: 3 })
    expect(await countPublishedIds()).toBe(1)
  })
})

describe('a table', () => {
  test('is kept until its day has expired, even if it was detached manually', async () => {
    const aged = agedRecords(database)
    await aged.makeDay(29)
    const [table] = (
      await database.pool.query<{ name: string }>(
        `SELECT inhrelid::regclass::text AS name FROM pg_inherits
         WHERE inhparent = 'events'::regclass ORDER BY 1 LIMIT 1`,
      )
    ).rows
    await database.pool.query(`ALTER TABLE events DETACH PARTITION ${table!.name}`)
    expect(await removeExpired()).toEqual(nothingRemoved)
    expect(await aged.partitionsOf(29)).toEqual(['events', 'deliveries', 'delivery_attempts'])
  })
})
