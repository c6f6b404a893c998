import { createUuidv7 } from '@hosting/core/ids'
import { listNewestEvents, publishEvents, type NewEvent } from '@hosting/postgres/webhooks'
import { describe, expect, test } from '@jest/globals'
import { explainStatements } from '../../../../test/support/statement-cost.ts'
import { agedRecords } from '../support/aged-records.ts'
import { useDatabase } from '../support/database.ts'
import { buildEvent, claim, makeEndpoint, makeTenant, succeed } from '../support/fixtures.ts'

const database = useDatabase({ partitions: true })

const minuteMs = 60_000

/** Publishes events of these types, one after the other. Returns their ids. */
async function publishTypes(
  tenantId: string,
  types: readonly string[],
  members: Partial<NewEvent> = {},
) {
  const ids = types.map(() => createUuidv7())
  for (const [index, type] of types.entries()) {
    const event = buildEvent(tenantId, { id: ids[index]!, eventId: ids[index]!, type, ...members })
    await publishEvents(database, [event], undefined)
  }
  return ids
}

describe('listNewestEvents', () => {
  test('returns the newest events first, page by page to the end', async () => {
    const tenantId = await makeTenant(database)
    const ids = await publishTypes(tenantId, Array(4).fill('site.created') as string[])
    await publishTypes(await makeTenant(database), ['site.created'])
    const read = async (take: number, before?: string) => {
      const { events, next } = await listNewestEvents(database, { tenantId }, { take, before })
      return { ids: events.map(({ id }) => id), next }
    }
    const first = await read(2)
    expect(first).toEqual({ ids: [ids[3], ids[2]], next: expect.stringMatching(/^\d+$/) })
    expect(await read(2, first.next!)).toEqual({ ids: [ids[1], ids[0]], next: null })
    expect(await read(2, '1')).toEqual({ ids: [], next: null })
  })

  test('filters by type, object, account and creation', async () => {
    const tenantId = await makeTenant(database)
    const subject = { objectId: 'site-1', accountId: 'one', name: 'acme.example' }
    const [old, site] = await publishTypes(tenantId, ['site.created', 'site.deleted'], { subject })
    const [job] = await publishTypes(tenantId, ['job.failed'], {
      createdAt: new Date(Date.now() - 60 * minuteMs),
      subject: { objectId: 'job-1', accountId: null, name: null },
    })
    const find = async (
      filter: Partial<Parameters<typeof listNewestEvents>[1]>,
      span: { readonly sinceMs?: number; readonly untilMs?: number } = {},
    ) =>
      (await listNewestEvents(database, { tenantId, ...filter }, { take: 10, ...span })).events.map(
        ({ id }) => id,
      )
    expect(await find({ types: ['site.*'] })).toEqual([site, old])
    expect(await find({ types: ['site.created', 'job.failed'] })).toEqual([job, old])
    expect(await find({ objectId: 'site-1', accountId: 'one' })).toEqual([site, old])
    expect(await find({ accountId: 'site-1' })).toEqual([])
    expect(await find({}, { sinceMs: Date.now() - 30 * minuteMs })).toEqual([site, old])
    expect(await find({}, { untilMs: Date.now() - 30 * minuteMs })).toEqual([job])
  })

  test('counts the deliveries of each event by status', async () => {
    const tenantId = await makeTenant(database)
    const [unsent] = await publishTypes(tenantId, ['site.created'])
    for (let left = 3; left > 0; left--) await makeEndpoint(database, tenantId)
    const event = buildEvent(tenantId)
    const { deliveries } = await publishEvents(database, [event], undefined)
    const ids = deliveries.map(({ deliveryId }) => deliveryId)
    await succeed(database, [ids[0]!])
    await claim(database, ids[1]!)
    const { events } = await listNewestEvents(database, { tenantId }, { take: 10 })
    expect(events).toMatchObject([
      {
        type: event.type,
        deliveries: [
          { status: 'in_flight', count: 1 },
          { status: 'queued', count: 1 },
          { status: 'succeeded', count: 1 },
        ],
      },
      { id: unsent, deliveries: [] },
    ])
  })

  test('continues after the last event examined if few events match', async () => {
    const tenantId = await makeTenant(database)
    const [oldest] = await publishTypes(tenantId, [
      'job.failed',
      ...Array<string>(4).fill('site.created'),
    ])
    const filter = { tenantId, types: ['job.*'] }
    const first = await listNewestEvents(database, filter, { take: 2, examinedMax: 3 })
    expect(first.events).toEqual([])
    const rest = { take: 2, examinedMax: 3, before: first.next! }
    const { events, next } = await listNewestEvents(database, filter, rest)
    expect({ ids: events.map(({ id }) => id), next }).toEqual({ ids: [oldest], next: null })
  })

  test('continues with the events of an earlier time, whatever was accepted since', async () => {
    const tenantId = await makeTenant(database)
    const [old] = await publishTypes(tenantId, ['job.failed'])
    await database.pool.query(
      `UPDATE events SET id = uuid_v7_floor(now() - interval '5 hours'), created_at = now() - interval '5 hours'
       WHERE tenant_id = $1`,
      [tenantId],
    )
    await publishTypes(tenantId, Array<string>(4).fill('site.created'))
    const untilMs = Date.now() - 60 * minuteMs
    const page = { take: 1, examinedMax: 3, untilMs }
    const { events, next } = await listNewestEvents(database, { tenantId }, page)
    expect({ ids: events.map(({ id }) => id), next }).toEqual({ ids: [old], next: null })
  })

  test('excludes events that are not in the log', async () => {
    const tenantId = await makeTenant(database)
    await publishTypes(tenantId, ['site.created'])
    await database.pool.query('UPDATE events SET position = NULL WHERE tenant_id = $1', [tenantId])
    expect((await listNewestEvents(database, { tenantId }, { take: 5 })).events).toEqual([])
  })

  test('examines at most twice as many events as fill a page, and no deliveries of earlier days', async () => {
    const tenantId = await makeTenant(database)
    const { makeDay } = agedRecords(database)
    for (let day = 2; day <= 28; day++) await makeDay(day)
    await database.pool.query(
      `INSERT INTO events (id, event_id, tenant_id, type, created_at, payload, delivery_count, object_id, position)
       SELECT uuid_v7(), uuid_v7(), $1, 'site.created', now(), '{}', 0, 'site-1', nextval('event_positions')
       FROM generate_series(1, 5000)`,
      [tenantId],
    )
    await database.pool.query('VACUUM (ANALYZE) events')
    for (const filter of [{}, { objectId: 'site-1' }, { types: ['site.*'] }]) {
      const explained = explainStatements(database)
      const listed = await listNewestEvents(
        explained.database,
        { tenantId, ...filter },
        { take: 50 },
      )
      expect(listed.events).toHaveLength(50)
      expect(explained.cost().rows).toBeLessThanOrEqual(100)
      // Two blocks of the index of each day from today on, for each event. All days would be three times as many.
      expect(explained.cost().blocks).toBeLessThan(1_200)
    }
  })
})
