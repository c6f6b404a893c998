import { abandonDeliveries, makePartitions, publishEvents } from '@hosting/postgres'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { PoolClient } from 'pg'
import { useDatabase } from './support/database.ts'
import {
  buildEvent,
  findPending,
  findRecord,
  makeEndpoint,
  makeSubscriber,
  makeTenant,
  removeEndpoint,
} from './support/fixtures.ts'

const database = useDatabase()
beforeAll(async () => {
  await makePartitions(database)
})

describe('publishEvents', () => {
  test('leaves the deliveries of enabled endpoints to their jobs for a while, those of disabled ones not', async () => {
    const { tenantId } = await makeSubscriber(database)
    const disabled = await makeEndpoint(database, tenantId, { enabled: false })
    const { deliveries } = await publishEvents(database, [buildEvent(tenantId)], 15_000)
    expect(deliveries).toHaveLength(2)
    for (const { deliveryId, endpointId, enabled } of deliveries) {
      expect(enabled).toBe(endpointId !== disabled)
      const row = await findPending(database, deliveryId)
      expect(row).toMatchObject({ attempts_made: 0, lease_id: null })
      expect(row!.due_in_ms).toBeLessThanOrEqual(0)
      expect(row!.held_for_ms > 0).toBe(enabled)
      expect(row!.held_for_ms).toBeLessThanOrEqual(15_000)
    }
  })

  test('names organizations that do not exist, and then stores nothing of any', async () => {
    const { tenantId } = await makeSubscriber(database)
    const unknown = randomUUID()
    const events = [
      buildEvent(tenantId),
      buildEvent(unknown),
      buildEvent(tenantId, { idGiven: true }),
    ]
    const { unknownTenantIds, deliveries } = await publishEvents(database, events, 0)
    expect([...unknownTenantIds]).toEqual([unknown])
    expect(deliveries).toEqual([])
    const { rows } = await database.pool.query(
      `SELECT 1 FROM events WHERE tenant_id = $1 UNION ALL
       SELECT 1 FROM deliveries WHERE tenant_id = $1 UNION ALL
       SELECT 1 FROM pending_deliveries WHERE tenant_id = $1 UNION ALL
       SELECT 1 FROM published_event_ids WHERE tenant_id = $1`,
      [tenantId],
    )
    expect(rows).toEqual([])
  })

  test('frees a given id if the request that gave it is rolled back', async () => {
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
  test('leaves nothing pending for ever', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const event = buildEvent(tenantId, { idGiven: true })
    const { deliveries } = await publishWhileIdIsTaken(event, async (blocker) => {
      await removeEndpoint(database, endpointId)
      expect(await abandonDeliveries(database.prisma)).toBe(0)
      await blocker.query('ROLLBACK')
    })
    const { deliveryId } = deliveries[0]!
    expect(await findPending(database, deliveryId)).toBeDefined()
    expect(await abandonDeliveries(database.prisma)).toBe(1)
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
    const published = publishEvents(database, [event], 0)
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
