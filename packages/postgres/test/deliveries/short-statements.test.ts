import { dayMs } from '@hosting/core/clock'
import { createUuidv7At } from '@hosting/core/ids'
import type { Database } from '@hosting/postgres/database'
import { claimAttempts, finishAttempts } from '@hosting/postgres/deliveries'
import { publishEvents } from '@hosting/postgres/webhooks'
import { expect, test } from '@jest/globals'
import { buildTaken } from '../../../../test/support/attempts.ts'
import { queueDelivery } from '../../../../test/support/stored-deliveries.ts'
import { useDatabase } from '../support/database.ts'
import {
  buildEvent,
  buildFinished,
  heldFor,
  makeEndpoint,
  makeHealthy,
  makeTenant,
} from '../support/fixtures.ts'
import { tapStatements } from '../support/tap-statements.ts'

const database = useDatabase({ partitions: true })

/** The database, and the names of the hot statements that were sent to it. */
function tap() {
  const sent: string[] = []
  return { sent, tapped: tapStatements(database, (name) => void sent.push(name)) }
}

async function deliver(tapped: Database, ids: readonly string[]): Promise<number> {
  const taken = ids.map((deliveryId) => buildTaken({ deliveryId }))
  const claimed = await claimAttempts(tapped, taken, 60_000)
  const recorded = await finishAttempts(
    tapped,
    claimed.map((each) => buildFinished({ ...each, state: 'finished' })),
  )
  return recorded.size
}

/** The record of a delivery, without what differs between two: ids and times. */
async function readRecord(id: string): Promise<object> {
  const { rows } = await database.pool.query<{ record: object }>(
    `SELECT to_jsonb(d) - '{id,event_ref,event_id,event_created_at,completed_at,last_attempt_id,last_started_at}'::text[]
       AS record
     FROM deliveries d WHERE id = $1 AND event_ref IS NOT NULL AND event_id = event_ref AND event_created_at < now()
       AND completed_at > now() - interval '1 minute' AND last_attempt_id IS NOT NULL AND last_started_at IS NOT NULL`,
    [id],
  )
  return rows[0]!.record
}

/** Publishes an event whose id is of a time. Gives its delivery. */
async function publishAt(tapped: Database, tenantId: string, timeMs: number): Promise<string> {
  const id = createUuidv7At(timeMs)
  const event = buildEvent(tenantId, { id, eventId: id, createdAt: new Date(timeMs) })
  const { deliveries } = await publishEvents(tapped, [event], heldFor(60_000))
  return deliveries[0]!.deliveryId
}

test('publish, claim and record of a delivery are one short statement each', async () => {
  const { tenantId } = await makeHealthy(database)
  const { sent, tapped } = tap()
  expect(await deliver(tapped, [await publishAt(tapped, tenantId, Date.now())])).toBe(1)
  expect(sent).toEqual(['publish-event', 'claim-unthrottled-attempts', 'record-successes'])
})

test('several events are published by one short statement, with the number of deliveries of each', async () => {
  const [first, second] = [await makeHealthy(database), await makeHealthy(database)]
  await makeEndpoint(database, second.tenantId)
  await makeEndpoint(database, second.tenantId, { events: ['key.*'] })
  const events = [first, second].map(({ tenantId }) => buildEvent(tenantId))
  const unmatched = buildEvent(await makeTenant(database))
  const { sent, tapped } = tap()
  const result = await publishEvents(tapped, [...events, unmatched], heldFor(60_000))
  expect(sent).toEqual(['publish-new-events'])
  expect([...result.deliveryCounts.values()]).toEqual([1, 2, 0])
  expect(result.deliveries).toHaveLength(3)
  const stored = await database.prisma.event.findMany({
    where: { id: { in: [...events, unmatched].map(({ id }) => id) } },
    orderBy: { id: 'asc' },
  })
  expect(stored.map(({ deliveryCount }) => deliveryCount)).toEqual([1, 2, 0])
})

test('a delivery whose event is of another day is claimed and recorded alike', async () => {
  const { tenantId } = await makeHealthy(database)
  const { sent, tapped } = tap()
  const today = await publishAt(tapped, tenantId, Date.now())
  const yesterday = await publishAt(tapped, tenantId, Date.now() - dayMs)
  sent.length = 0
  expect(await deliver(tapped, [today, yesterday])).toBe(2)
  expect(sent).toEqual([
    'claim-unthrottled-attempts',
    'claim-attempts',
    'record-successes',
    'finish-attempts',
  ])
  expect(await readRecord(yesterday)).toEqual(await readRecord(today))
})

test.each([
  ['of a day whose partitions may be gone', 'the statements for every case', -9],
  ['of yesterday', 'the short ones', -1],
])('a delivery %s is left to %s', async (_, kind, days) => {
  const { tenantId, endpointId } = await makeHealthy(database)
  const { tapped, sent } = tap()
  const timeMs = Date.now() + Math.max(days, -1) * dayMs
  const eventId = createUuidv7At(timeMs)
  const event = buildEvent(tenantId, {
    id: eventId,
    eventId,
    createdAt: new Date(timeMs),
    patterns: [],
  })
  await publishEvents(database, [event], undefined)
  const id = createUuidv7At(Date.now() + days * dayMs)
  await queueDelivery(database, { id, tenantId, endpointId, eventRef: eventId })
  const claimed = await claimAttempts(tapped, [buildTaken({ deliveryId: id })], 60_000)
  expect(claimed).toHaveLength(1)
  expect(sent).toEqual([
    kind === 'the short ones' ? 'claim-unthrottled-attempts' : 'claim-attempts',
  ])
})

test('a success whose endpoint also has a failure among the attempts is recorded with it, in their order', async () => {
  const { tenantId, endpointId } = await makeHealthy(database)
  const { sent, tapped } = tap()
  const ids = [
    await publishAt(tapped, tenantId, Date.now()),
    await publishAt(tapped, tenantId, Date.now()),
  ]
  const taken = ids.map((deliveryId) => buildTaken({ deliveryId }))
  const claimed = await claimAttempts(tapped, taken, 60_000)
  sent.length = 0
  const [failed, succeeded] = claimed.map((each) => buildFinished({ ...each, state: 'finished' }))
  await finishAttempts(tapped, [
    {
      ...failed!,
      outcome: { statusCode: 500, errorClass: 'http_error' },
      nextStep: { status: 'dead' },
    },
    succeeded!,
  ])
  expect(sent).toEqual(['finish-attempts'])
  const { rows } = await database.pool.query(
    'SELECT state, consecutive_failures FROM webhook_endpoint_failures WHERE endpoint_id = $1',
    [endpointId],
  )
  expect(rows).toEqual([{ state: 'healthy', consecutive_failures: 0 }])
})

test('the first success of an endpoint after a failure ends the row of failures', async () => {
  const { tenantId, endpointId } = await makeHealthy(database)
  await database.pool.query(
    'UPDATE webhook_endpoint_failures SET consecutive_failures = 2 WHERE endpoint_id = $1',
    [endpointId],
  )
  const { sent, tapped } = tap()
  const id = await publishAt(tapped, tenantId, Date.now())
  expect(await deliver(tapped, [id])).toBe(1)
  expect(sent.slice(-2)).toEqual(['record-successes', 'finish-attempts'])
  const { rows } = await database.pool.query(
    'SELECT consecutive_failures FROM webhook_endpoint_failures WHERE endpoint_id = $1',
    [endpointId],
  )
  expect(rows).toEqual([{ consecutive_failures: 0 }])
})

test('a success whose event was lost is recorded by the statement for every case', async () => {
  const { tenantId } = await makeHealthy(database)
  const { sent, tapped } = tap()
  const id = await publishAt(tapped, tenantId, Date.now())
  const [claimed] = await claimAttempts(tapped, [buildTaken({ deliveryId: id })], 60_000)
  await database.pool.query('DELETE FROM events WHERE id = $1', [claimed!.eventId])
  expect(await finishAttempts(tapped, [buildFinished({ ...claimed!, state: 'finished' })])).toEqual(
    new Set([id]),
  )
  expect(sent.slice(-2)).toEqual(['record-successes', 'finish-attempts'])
})

test('a partition that is missing is made, and the success is recorded in it', async () => {
  const { tenantId } = await makeHealthy(database)
  const { tapped } = tap()
  const id = await publishAt(tapped, tenantId, Date.now())
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '')
  await database.pool.query(`DROP TABLE deliveries_${day}`)
  expect(await deliver(tapped, [id])).toBe(1)
  expect(await readRecord(id)).toMatchObject({ outcome: 'succeeded' })
})

test.each([
  [1, 'publish-event'],
  [3, 'publish-new-events'],
])('%s events for a tenant that does not exist store nothing', async (count, short) => {
  const tenantId = crypto.randomUUID()
  const { sent, tapped } = tap()
  const events = Array.from({ length: count }, () => buildEvent(tenantId))
  const result = await publishEvents(tapped, events, heldFor(60_000))
  expect([...result.unknownTenantIds.values()].flatMap((ids) => [...ids])).toEqual([tenantId])
  expect(sent).toEqual([short, 'publish-events'])
  const { rows } = await database.pool.query(
    `SELECT (SELECT count(*)::int FROM events WHERE tenant_id = $1) AS events,
       (SELECT count(*)::int FROM usage_batches WHERE $1 = ANY (tenant_ids)) AS usage`,
    [tenantId],
  )
  expect(rows).toEqual([{ events: 0, usage: 0 }])
})
