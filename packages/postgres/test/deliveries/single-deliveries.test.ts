import { createUuidv7, timeOfUuidv7 } from '@hosting/core/ids'
import { openDatabase } from '@hosting/postgres/database'
import {
  claimAttempts,
  finishAttempts,
  publishToEndpoint,
  redeliver,
  takeDueAttempts,
} from '@hosting/postgres/deliveries'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { buildTaken } from '../../../../test/support/attempts.ts'
import { useDatabase } from '../support/database.ts'
import {
  buildFinished,
  claim,
  failAttempt,
  findPending,
  letWakeupsCome,
  findRecord,
  makeEndpoint,
  makeSubscriber,
  publish,
  setEnabled,
  succeed,
} from '../support/fixtures.ts'

const database = useDatabase({ partitions: true })
beforeEach(async () => {
  await database.pool.query('DELETE FROM pending_deliveries')
})

const payload = '{"id":"1",  "data":{}}'
const subject = { objectId: 'webhook-1', accountId: null, name: null }

const sendTo = (
  target: { tenantId: string; endpointId: string },
  { heldForMs = 0, id = createUuidv7() } = {},
) =>
  database.prisma.$transaction((tx) =>
    publishToEndpoint(
      tx,
      { ...target, id, type: 'webhook.ping', createdAt: new Date(), payload, subject },
      heldForMs,
    ),
  )

const again = (ids: readonly string[], heldForMs = 0) =>
  database.prisma.$transaction((tx) => redeliver(tx, ids, heldForMs))

const findDeliveries = async (ids: readonly string[]) => {
  const { rows } = await database.pool.query<Record<string, unknown>>(
    `SELECT tenant_id, endpoint_id, event_ref, event_id, event_type, event_created_at, redelivery_of, outcome
     FROM all_deliveries WHERE id = ANY ($1) ORDER BY id`,
    [ids],
  )
  return rows
}

const limits = (each: number) => ({
  horizonMs: 0,
  holdMs: 10_000,
  perEndpoint: { normal: each, slow: each },
  max: { normal: 1_000, slow: 1_000 },
})

const takeDueIds = async () => {
  const { attempts } = await takeDueAttempts(database, limits(100))
  return attempts.map(({ deliveryId }) => deliveryId)
}

describe('publishToEndpoint', () => {
  test('creates one delivery with the exact payload, to this endpoint only', async () => {
    const target = await makeSubscriber(database)
    await makeEndpoint(database, target.tenantId)
    const id = createUuidv7()
    const { deliveryId } = await sendTo(target, { id })
    const { rows } = await database.pool.query(
      'SELECT d.id, endpoint_id, event_id FROM all_deliveries d WHERE tenant_id = $1',
      [target.tenantId],
    )
    expect(rows).toEqual([{ id: deliveryId, endpoint_id: target.endpointId, event_id: id }])
    expect(Math.abs(timeOfUuidv7(deliveryId) - Date.now())).toBeLessThan(5_000)
    const claims = [buildTaken({ deliveryId })]
    const claimed = await claimAttempts(database, claims, 1_000)
    expect(claimed).toMatchObject([{ eventType: 'webhook.ping', payload }])
  })

  test('reserves the delivery for its job for a while, then the relay takes it', async () => {
    const target = await makeSubscriber(database)
    const held = await sendTo(target, { heldForMs: 15_000 })
    const free = await sendTo(target)
    const row = await findPending(database, held.deliveryId)
    expect(row).toMatchObject({ attempts_made: 0, lease_id: null })
    expect(row!.due_in_ms).toBeLessThanOrEqual(0)
    expect(row!.held_for_ms).toBeGreaterThan(10_000)
    expect(await takeDueIds()).toEqual([free.deliveryId])
  })

  test('leaves nothing if the transaction is rolled back', async () => {
    const target = await makeSubscriber(database)
    const rolledBack = database.prisma.$transaction(async (tx) => {
      const event = { ...target, id: createUuidv7(), type: 'webhook.ping', createdAt: new Date() }
      await publishToEndpoint(tx, { ...event, payload, subject }, 0)
      throw new Error('no')
    })
    await expect(rolledBack).rejects.toThrow('no')
    const { rows } = await database.pool.query(
      `SELECT 1 FROM events WHERE tenant_id = $1 UNION ALL
       SELECT 1 FROM all_deliveries WHERE tenant_id = $1`,
      [target.tenantId],
    )
    expect(rows).toEqual([])
  })
})

describe('redeliver', () => {
  test('creates deliveries of the same events to the same endpoints, whatever the first outcome', async () => {
    const { tenantId } = await makeSubscriber(database)
    await makeEndpoint(database, tenantId)
    const ids = (await publish(database, tenantId, { count: 2 })).toSorted()
    const leaseId = (await claim(database, ids[0]!))!
    await finishAttempts(database, [buildFinished({ deliveryId: ids[0]!, leaseId })])
    await failAttempt(database, ids[1]!, { delayMs: 60_000 })
    const before = await findDeliveries(ids)

    const made = (await again(ids)).map(({ deliveryId }) => deliveryId).toSorted()
    expect(made).toHaveLength(4)
    const rows = await findDeliveries(made)
    expect(rows.map(({ redelivery_of }) => redelivery_of).toSorted()).toEqual(ids)
    for (const row of rows) {
      const first = before[ids.indexOf(row['redelivery_of'] as string)]
      expect(row).toEqual({ ...first, redelivery_of: row['redelivery_of'], outcome: null })
    }
    expect(await findDeliveries(ids)).toEqual(before)
    for (const id of made) {
      expect(await findPending(database, id)).toMatchObject({ attempts_made: 0, lease_id: null })
      expect(await findRecord(database, id)).toMatchObject({ attempt_count: 0, attempts: [] })
    }
  })

  test('ignores unknown ids and an empty list', async () => {
    const { tenantId } = await makeSubscriber(database)
    const ids = await publish(database, tenantId)
    expect(await again([randomUUID(), ...ids])).toHaveLength(1)
    expect(await again([randomUUID()])).toEqual([])
    expect(await again([])).toEqual([])
  })

  test('reserves the deliveries for their jobs for a while on request', async () => {
    const { tenantId } = await makeSubscriber(database)
    const ids = await publish(database, tenantId, { heldForMs: 60_000 })
    const [held] = await again(ids, 15_000)
    expect((await findPending(database, held!.deliveryId))!.held_for_ms).toBeGreaterThan(10_000)
    const [free] = await again(ids)
    expect(await takeDueIds()).toEqual([free!.deliveryId])
  })
})

describe('after an endpoint was enabled', () => {
  test('the relay gets waiting deliveries oldest first in every batch, with any query plan', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database, { enabled: false })
    const ids = await publish(database, tenantId, { count: 40 })
    // Each due a second after the one before; the order of the rows says nothing.
    await database.pool.query(
      `UPDATE pending_deliveries p SET due_at = now() - (41 - o.rank) * interval '1 second'
       FROM (SELECT * FROM unnest($1::uuid[]) WITH ORDINALITY AS i (id, rank) ORDER BY random()) o
       WHERE p.delivery_id = o.id`,
      [ids],
    )
    expect(await takeDueIds()).toEqual([])
    await setEnabled(database, endpointId, true)
    const url = new URL(database.url)
    url.searchParams.set('options', '-c enable_nestloop=off -c enable_mergejoin=off')
    const scanning = openDatabase(url.href, { onError: () => undefined })
    const taken: string[][] = []
    for (const each of [scanning, database]) {
      await letWakeupsCome(database)
      const { attempts } = await takeDueAttempts(each, limits(25))
      const batch = attempts.map(({ deliveryId }) => deliveryId)
      taken.push(batch)
      await succeed(database, batch)
    }
    await scanning.close()
    expect(taken).toEqual([ids.slice(0, 25), ids.slice(25)])
  })
})
