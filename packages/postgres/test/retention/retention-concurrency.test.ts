import { makePartitions } from '@hosting/postgres/database'
import { finishAttempts } from '@hosting/postgres/deliveries'
import { dropExpiredRecords } from '@hosting/postgres/retention'
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { PoolClient } from 'pg'
import { agedRecords, clearRecords, nothingRemoved, partitionOf } from '../support/aged-records.ts'
import { rollingBack, useDatabase } from '../support/database.ts'
import { buildFinished, claim, makeSubscriber, publish } from '../support/fixtures.ts'

const database = useDatabase({ partitions: true })
beforeEach(() => clearRecords(database))

/** Runs work while another transaction is open that has begun with a statement. */
async function whileOpen<T>(statement: string, work: (client: PoolClient) => Promise<T>) {
  return await rollingBack(database, async (client) => {
    await client.query(statement)
    return await work(client)
  })
}

/** Waits until a detach has given up once. */
async function untilTrying(): Promise<void> {
  for (;;) {
    const { rowCount } = await database.pool.query(
      `SELECT 1 FROM pg_stat_activity
       WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep%'`,
    )
    if (rowCount) return
  }
}

/** Publishes an event and sends its delivery; gives how long the slowest step took, in ms. */
async function deliverOne(tenantId: string): Promise<number> {
  const times = [performance.now()]
  const [deliveryId] = await publish(database, tenantId)
  times.push(performance.now())
  const leaseId = await claim(database, deliveryId!)
  times.push(performance.now())
  const finished = buildFinished({ deliveryId: deliveryId!, leaseId: leaseId! })
  expect(await finishAttempts(database, [finished])).toEqual(new Set([deliveryId]))
  times.push(performance.now())
  return Math.max(...times.slice(1).map((time, index) => time - times[index]!))
}

/** Three days with an attempt, an ended delivery and an event each. */
async function addOldDays(aged: ReturnType<typeof agedRecords>): Promise<void> {
  for (const days of [35, 36, 37]) {
    const event = await aged.addEvent(days, { given: true })
    await aged.addAttempt(await aged.addDelivery(event, days, days), days)
  }
}

describe('concurrent runs', () => {
  test('remove everything once, and none fails', async () => {
    await addOldDays(agedRecords(database))
    const results = await Promise.all(
      Array.from({ length: 8 }, () => dropExpiredRecords(database, { batchMax: 1 })),
    )
    const sumOf = (count: (result: (typeof results)[number]) => number) =>
      results.reduce((sum, result) => sum + count(result), 0)
    expect(sumOf(({ partitionsDropped }) => partitionsDropped)).toBe(9)
    expect(sumOf(({ attemptsDeleted }) => attemptsDeleted)).toBe(3)
    expect(sumOf(({ deliveriesDeleted }) => deliveriesDeleted)).toBe(3)
    expect(sumOf(({ eventsDeleted }) => eventsDeleted)).toBe(3)
    expect(results.flatMap(({ failures }) => failures)).toEqual([])
  })

  test('skip, except for one of them', async () => {
    const aged = agedRecords(database)
    await addOldDays(aged)
    await whileOpen('SELECT count(*) FROM delivery_attempts', async (reader) => {
      const first = dropExpiredRecords(database)
      await untilTrying()
      expect(await dropExpiredRecords(database)).toEqual(nothingRemoved)
      await reader.query('COMMIT')
      expect(await first).toMatchObject({ partitionsDropped: 9, failures: [] })
    })
  })
})

describe('while expired records are removed', () => {
  test('publishing, claiming and finishing continue, even while a reader blocks a detach', async () => {
    const { tenantId } = await makeSubscriber(database)
    const aged = agedRecords(database)
    await addOldDays(aged)
    const tables = 'events, deliveries, delivery_attempts'
    await whileOpen(`SELECT 1 FROM ${tables} LIMIT 1`, async (reader) => {
      const removing = dropExpiredRecords(database)
      await untilTrying()
      for (let round = 0; round < 20; round++)
        expect(await deliverOne(tenantId)).toBeLessThan(8_000)
      expect(await makePartitions(database)).toBe(0)
      await reader.query('COMMIT')
      expect(await removing).toMatchObject({ partitionsDropped: 9, failures: [] })
    })
  })

  test('race: old deliveries that end meanwhile are kept, and so are their events', async () => {
    const aged = agedRecords(database)
    const events: string[] = []
    const deliveries: string[] = []
    for (let number = 0; number < 30; number++) {
      events.push(await aged.addEvent(40))
      deliveries.push(await aged.addDelivery(events.at(-1)!, 39))
    }
    const end = async (): Promise<void> => {
      for (const id of deliveries) await aged.end(id, 0)
    }
    const remove = async (): Promise<void> => {
      for (let round = 0; round < 5; round++) {
        const { failures, ...removed } = await dropExpiredRecords(database, { batchMax: 3 })
        expect(failures).toEqual([])
        expect(removed).toMatchObject({ deliveriesDeleted: 0, eventsDeleted: 0 })
      }
    }
    await Promise.all([end(), remove()])
    expect(await aged.present(...events, ...deliveries)).toEqual([...events, ...deliveries])
  })

  test('an event that a redelivery has locked is skipped, and kept once the redelivery is committed', async () => {
    const aged = agedRecords(database)
    const [held, other] = [await aged.addEvent(40), await aged.addEvent(40)]
    const unfinished = await aged.addDelivery(await aged.addEvent(40), 40)
    const holding = `SELECT 1 FROM events WHERE id = '${held}' FOR KEY SHARE`
    await whileOpen(holding, async (client) => {
      expect(await dropExpiredRecords(database)).toMatchObject({ eventsDeleted: 1, failures: [] })
      await client.query('COMMIT')
    })
    expect(await aged.present(held, other, unfinished)).toEqual([held, unfinished])
    const again = await aged.addDelivery(held, 0)
    expect(await dropExpiredRecords(database)).toEqual(nothingRemoved)
    expect(await aged.present(held, again)).toEqual([held, again])
  })
})

describe('an interrupted run', () => {
  test('is finished by the next if a table was in continuous use', async () => {
    const aged = agedRecords(database)
    await addOldDays(aged)
    await whileOpen('SELECT 1 FROM deliveries LIMIT 1', async () => {
      const result = await dropExpiredRecords(database, { statementMsMax: 2_000 })
      expect(result.attemptsDeleted).toBe(3)
      expect(result.failures[0]).toMatchObject({ partition: partitionOf('deliveries', 37) })
      expect(await aged.partitionsOf(37)).toEqual(['events', 'deliveries'])
    })
    expect(await dropExpiredRecords(database)).toEqual({
      ...nothingRemoved,
      partitionsDropped: 6,
      deliveriesDeleted: 3,
      eventsDeleted: 3,
    })
    expect(await aged.partitionsOf(37)).toEqual([])
  })

  test('is finished by the next if it stopped between detach and drop', async () => {
    const aged = agedRecords(database)
    await addOldDays(aged)
    const part = partitionOf('events', 36)
    await database.pool.query(`ALTER TABLE events DETACH PARTITION ${part}`)
    expect(await dropExpiredRecords(database)).toMatchObject({ partitionsDropped: 9, failures: [] })
    expect(await aged.partitionsOf(36)).toEqual([])
  })

  test('leaves no table detached that is still needed', async () => {
    const aged = agedRecords(database)
    const event = await aged.addEvent(40)
    const part = partitionOf('events', 40)
    await database.pool.query(`ALTER TABLE events DETACH PARTITION ${part}`)
    const again = await aged.addDelivery(event, 0)
    expect(await aged.present(event, again)).toEqual([again])
    await dropExpiredRecords(database)
    expect(await aged.present(event, again)).toEqual([event, again])
  })
})
