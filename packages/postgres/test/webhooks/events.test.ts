import { abandonDeliveries } from '@hosting/postgres/deliveries'
import { publishEvents } from '@hosting/postgres/webhooks'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { PoolClient } from 'pg'
import { useDatabase } from '../support/database.ts'
import {
  buildEvent,
  findPending,
  findRecord,
  heldFor,
  makeEndpoint,
  makeSubscriber,
  makeTenant,
  removeEndpoint,
  timeOut,
} from '../support/fixtures.ts'

const database = useDatabase({ partitions: true })

describe('publishEvents', () => {
  test('reserves the deliveries of enabled endpoints for their jobs for a while, but not those of disabled ones', async () => {
    const { tenantId } = await makeSubscriber(database)
    const disabled = await makeEndpoint(database, tenantId, { enabled: false })
    const { deliveries } = await publishEvents(database, [buildEvent(tenantId)], heldFor(15_000))
    expect(deliveries).toHaveLength(2)
    for (const { deliveryId, endpointId, held } of deliveries) {
      expect(held).toBe(endpointId !== disabled)
      const row = await findPending(database, deliveryId)
      expect(row).toMatchObject({ attempts_made: 0, lease_id: null })
      expect(row!.due_in_ms).toBeLessThanOrEqual(0)
      expect(row!.held_for_ms > 0).toBe(held)
      expect(row!.held_for_ms).toBeLessThanOrEqual(15_000)
    }
  })

  test('leaves requested deliveries to the relay, and all deliveries of endpoints that timed out recently', async () => {
    const [open, excepted] = [await makeSubscriber(database), await makeSubscriber(database)]
    const slow = await makeEndpoint(database, open.tenantId)
    const backlogged = await makeEndpoint(database, open.tenantId)
    const { deliveries: earlier } = await publishEvents(
      database,
      [buildEvent(open.tenantId)],
      undefined,
    )
    expect(earlier.map(({ held }) => held)).toEqual([false, false, false])
    const running = earlier.find(({ endpointId }) => endpointId === slow)!
    await timeOut(database, running.deliveryId)

    const firstJobs = heldFor(15_000, {
      exceptTenantIds: [excepted.tenantId],
      exceptEndpointIds: [backlogged],
    })
    const events = [open, excepted].map(({ tenantId }) => buildEvent(tenantId))
    const { deliveries } = await publishEvents(database, events, firstJobs)
    expect(deliveries).toHaveLength(4)
    for (const { deliveryId, endpointId, held } of deliveries) {
      expect(held).toBe(endpointId === open.endpointId)
      expect((await findPending(database, deliveryId))!.held_for_ms > 0).toBe(held)
    }
    await database.pool.query(
      `UPDATE webhook_endpoint_schedules SET slow_until = now() - interval '1 ms' WHERE endpoint_id = $1`,
      [slow],
    )
    const after = await publishEvents(database, [buildEvent(open.tenantId)], firstJobs)
    const held = after.deliveries.filter((delivery) => delivery.held)
    expect(held.map(({ endpointId }) => endpointId).toSorted()).toEqual(
      [open.endpointId, slow].toSorted(),
    )
  })

  test('admits at most the limit of jobs per organization, whatever the statement contains for others', async () => {
    const [busy, quiet] = [await makeSubscriber(database), await makeSubscriber(database)]
    const events = [...Array<string>(7).fill(busy.tenantId), quiet.tenantId]
    const { deliveries } = await publishEvents(
      database,
      events.map((tenantId) => buildEvent(tenantId)),
      heldFor(15_000, { perTenantMax: 5 }),
    )
    const heldOf = ({ tenantId }: { tenantId: string }) =>
      deliveries.filter((delivery) => delivery.tenantId === tenantId && delivery.held)
    expect([heldOf(busy).length, heldOf(quiet).length]).toEqual([5, 1])
  })

  test('names missing organizations, and then stores no event', async () => {
    const { tenantId } = await makeSubscriber(database)
    const unknown = randomUUID()
    const events = [
      buildEvent(tenantId),
      buildEvent(unknown),
      buildEvent(tenantId, { idGiven: true }),
    ]
    const { unknownTenantIds, deliveries } = await publishEvents(database, events, undefined)
    expect(unknownTenantIds).toEqual(new Map([[0, new Set([unknown])]]))
    expect(deliveries).toEqual([])
    const { rows } = await database.pool.query(
      `SELECT 1 FROM events WHERE tenant_id = $1 UNION ALL
       SELECT 1 FROM all_deliveries WHERE tenant_id = $1 UNION ALL
       SELECT 1 FROM published_event_ids WHERE tenant_id = $1`,
      [tenantId],
    )
    expect(rows).toEqual([])
  })

  test('stores an event with an id that an event of another organization got from us', async () => {
    const [tenantId, otherId] = [await makeTenant(database), await makeTenant(database)]
    const earlier = buildEvent(tenantId)
    await publishEvents(database, [earlier], undefined)
    const given = { idGiven: true, eventId: earlier.eventId }
    const [again, other] = [buildEvent(tenantId, given), buildEvent(otherId, given)]
    await publishEvents(database, [again, other], undefined)
    const { rows } = await database.pool.query(
      'SELECT id FROM events WHERE event_id = $1 ORDER BY id',
      [earlier.eventId],
    )
    expect(rows).toEqual([{ id: earlier.id }, { id: other.id }])
  })

  test('frees a given id if its request is rolled back', async () => {
    const tenantId = await makeTenant(database)
    const event = buildEvent(tenantId, { idGiven: true })
    const blocked = await publishWhileIdIsTaken(event, async (blocker) => {
      await blocker.query('ROLLBACK')
    })
    expect([...blocked.deliveryCounts.keys()]).toEqual([`${tenantId}/${event.eventId}`])
    const { rows } = await database.pool.query('SELECT 1 FROM events WHERE id = $1', [event.id])
    expect(rows).toHaveLength(1)
  })
})

describe('an endpoint that is deleted while an event is being published to it', () => {
  test('leaves no delivery pending forever', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const event = buildEvent(tenantId, { idGiven: true })
    const { deliveries } = await publishWhileIdIsTaken(event, async (blocker) => {
      await removeEndpoint(database, endpointId)
      expect(await abandonDeliveries(database)).toBe(0)
      await blocker.query('ROLLBACK')
    })
    const { deliveryId } = deliveries[0]!
    expect(await findPending(database, deliveryId)).toBeDefined()
    expect(await abandonDeliveries(database)).toBe(1)
    expect(await findPending(database, deliveryId)).toBeUndefined()
    expect(await findRecord(database, deliveryId)).toMatchObject({
      outcome: 'dead',
      attempt_count: 0,
    })
  })
})

/**
 * Publishes an event whose given id another transaction is just taking: the statement has seen the
 * endpoints and waits, `meanwhile` runs, and its end lets the statement go on.
 */
async function publishWhileIdIsTaken(
  event: ReturnType<typeof buildEvent>,
  meanwhile: (blocker: PoolClient) => Promise<void>,
) {
  const blocker = await database.pool.connect()
  try {
    await blocker.query('BEGIN')
    await blocker.query(
      'INSERT INTO published_event_ids (tenant_id, event_id, event_ref) VALUES ($1, $2, $3)',
      [event.tenantId, event.eventId, randomUUID()],
    )
    const published = publishEvents(database, [event], undefined)
    await untilBlocked()
    await meanwhile(blocker)
    return await published
  } finally {
    blocker.release()
  }
}

/** Waits until a statement of this database waits for a lock. */
async function untilBlocked(): Promise<void> {
  for (;;) {
    const { rowCount } = await database.pool.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    if (rowCount) return
  }
}
