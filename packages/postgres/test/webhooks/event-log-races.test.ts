import { openDatabase, type Database } from '@hosting/postgres/database'
import {
  countRecoverable,
  publishEvents,
  readEventLog,
  type EventLogStart,
} from '@hosting/postgres/webhooks'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { setTimeout as delay } from 'node:timers/promises'
import type { PoolClient } from 'pg'
import { useDatabase } from '../support/database.ts'
import { buildEvent, makeEndpoint, makeTenant } from '../support/fixtures.ts'

const publishersMax = 200
const database = useDatabase({
  partitions: true,
  connectionsMax: publishersMax + 10,
  // On a busy machine, hundreds of connections take longer to open than the service waits.
  timeouts: { acquireMs: 120_000 },
})
let reading: Database
beforeAll(async () => {
  reading = openDatabase(database.url, { onError: () => undefined })
})
afterAll(() => reading.close())

/** Publishes on a connection whose transaction stays open until it is ended. */
async function publishOpen(tenantId: string): Promise<{ id: string; client: PoolClient }> {
  const client = await database.pool.connect()
  await client.query('BEGIN')
  const event = buildEvent(tenantId)
  const pool = { query: client.query.bind(client) }
  await publishEvents({ ...database, pool, hotPool: undefined } as never, [event], undefined)
  return { id: event.eventId, client }
}

async function end(client: PoolClient, command: 'COMMIT' | 'ROLLBACK'): Promise<void> {
  await client.query(command)
  client.release()
}

/** How many publish at the same time: hundreds, or as many as the server leaves to a test file. */
async function countPublishers(): Promise<number> {
  const { rows } = await database.pool.query<{ max: number }>(
    `SELECT current_setting('max_connections')::int AS max`,
  )
  return Math.min(publishersMax, Math.floor((rows[0]!.max * 2) / 3))
}

/** Follows the log, by default from the beginning. Each call of the reader returns the ids of the next page. */
function follow(tenantId: string, take: number, start?: EventLogStart): () => Promise<string[]> {
  return async () => {
    const page = await readEventLog(reading, { tenantId }, { start, take })
    if (page === 'too_old') throw new Error('The cursor is too old')
    start = { cursor: page.next }
    return page.payloads.map((payload) => (JSON.parse(payload) as { id: string }).id)
  }
}

describe('a reader of the event log', () => {
  test('waits for an event that commits late, and misses none', async () => {
    const tenantId = await makeTenant(database)
    const next = follow(tenantId, 10)
    const late = await publishOpen(tenantId)
    const early = buildEvent(tenantId)
    await publishEvents(database, [early], undefined)
    expect(await next()).toEqual([])
    await end(late.client, 'COMMIT')
    expect(await next()).toEqual([late.id, early.eventId])
  })

  test('that starts at a time waits for an event that commits late', async () => {
    const tenantId = await makeTenant(database)
    const next = follow(tenantId, 10, { sinceMs: Date.now() - 60_000 })
    const late = await publishOpen(tenantId)
    const early = buildEvent(tenantId)
    await publishEvents(database, [early], undefined)
    expect(await next()).toEqual([])
    await end(late.client, 'COMMIT')
    expect(await next()).toEqual([late.id, early.eventId])
  })

  test('does not wait for an event that is rolled back', async () => {
    const tenantId = await makeTenant(database)
    const next = follow(tenantId, 10)
    const lost = await publishOpen(tenantId)
    await end(lost.client, 'ROLLBACK')
    const event = buildEvent(tenantId)
    await publishEvents(database, [event], undefined)
    expect(await next()).toEqual([event.eventId])
  })

  test('misses no event whose position was assigned before a crash of the server', async () => {
    const tenantId = await makeTenant(database)
    const next = follow(tenantId, 10)
    const first = buildEvent(tenantId)
    await publishEvents(database, [first], undefined)
    const taken = async () =>
      (
        await database.pool.query<{ taken: string }>(
          'SELECT last_value AS taken FROM event_positions',
        )
      ).rows[0]!.taken
    const before = await taken()
    const lost = await publishOpen(tenantId)
    await end(lost.client, 'ROLLBACK')
    expect(await next()).toEqual([first.eventId])
    expect(await next()).toEqual([])
    // A crash may lose the record that positions were taken, if no transaction that took them was committed.
    expect(await taken()).not.toBe(before)
    await database.pool.query("SELECT setval('event_positions', $1)", [before])
    const event = buildEvent(tenantId)
    await publishEvents(database, [event], undefined)
    expect(await next()).toEqual([event.eventId])
  })

  test('does not wait for a long transaction that publishes nothing', async () => {
    const tenantId = await makeTenant(database)
    const other = await database.pool.connect()
    await other.query('BEGIN')
    await other.query('UPDATE tenants SET name = name WHERE id = $1', [tenantId])
    const event = buildEvent(tenantId)
    await publishEvents(database, [event], undefined)
    expect(await follow(tenantId, 10)()).toEqual([event.eventId])
    await end(other, 'ROLLBACK')
  })

  test('gets every event of hundreds of concurrent publishers once, in any order of commits', async () => {
    const tenantId = await makeTenant(database)
    const publishers = await countPublishers()
    const events = 5 * publishers
    const committed: string[] = []
    const open = { now: 0, most: 0 }
    const publishOne = async (index: number): Promise<void> => {
      const { id, client } = await publishOpen(tenantId)
      open.most = Math.max(open.most, ++open.now)
      // Durations from none to 200 ms, in an order unlike that of the positions.
      await delay(((index * 7_919) % 21) * 10)
      const isLost = index % 10 === 9
      await end(client, isLost ? 'ROLLBACK' : 'COMMIT')
      open.now--
      if (!isLost) committed.push(id)
    }
    let isOver = false
    const publishAll = async (): Promise<void> => {
      await Promise.all(
        Array.from({ length: publishers }, async (_, publisher) => {
          for (let each = 0; each < 5; each += 1) await publishOne(publisher * 5 + each)
        }),
      ).finally(() => (isOver = true))
    }
    const publishing = publishAll()
    const next = follow(tenantId, 7)
    const seen: string[] = []
    for (;;) {
      const wasOver = isOver
      const ids = await next()
      seen.push(...ids)
      if (wasOver && ids.length === 0) break
    }
    await publishing
    expect(open.most).toBeGreaterThan(publishers / 2)
    expect(committed).toHaveLength(events - Math.floor(events / 10))
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.toSorted()).toEqual(committed.toSorted())
  })
})

test('a backfill sends an accepted event although an earlier publish is in progress', async () => {
  const tenantId = await makeTenant(database)
  const open = await publishOpen(tenantId)
  const accepted = buildEvent(tenantId)
  await publishEvents(database, [accepted], undefined)
  const endpointId = await makeEndpoint(database, tenantId)
  const span = { sinceMs: Date.now() - 60_000, untilMs: Date.now() + 60_000 }
  const place = { tenantId, endpointId }
  const counted = await countRecoverable(database.prisma, place, {
    span,
    choice: { backfill: true },
  })
  await end(open.client, 'ROLLBACK')
  expect(counted).toEqual({ total: 1, isMore: false })
})
