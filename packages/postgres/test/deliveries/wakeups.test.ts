import { restoreWakeups } from '@hosting/postgres/deliveries'
import { describe, expect, test } from '@jest/globals'
import { until } from '../../../../test/support/until.ts'
import {
  claim,
  failAttempt,
  lapseHold,
  letWakeupsCome,
  makeSubscriber,
  publish,
  setEnabled,
  succeed,
} from '../support/fixtures.ts'
import { database, both, sweep, idsOf, wakeups } from '../support/wakeups.ts'

describe('a wake-up', () => {
  test("is created with a publish, for now or for the end of its job's hold", async () => {
    const [free, held] = [await makeSubscriber(database), await makeSubscriber(database)]
    const [id] = await publish(database, free.tenantId)
    await publish(database, held.tenantId, { heldForMs: 15_000 })
    const [ofHeld, ...more] = await wakeups(held.endpointId)
    expect(more).toEqual([])
    expect(ofHeld!.in_ms).toBeGreaterThan(10_000)
    expect(ofHeld!.in_ms).toBeLessThanOrEqual(15_000)
    expect(idsOf(await sweep())).toEqual([id])
  })

  test('is shared by deliveries that are published within seconds and reserved for jobs', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    await publish(database, tenantId, { count: 20, heldForMs: 15_000 })
    expect(await wakeups(endpointId)).toHaveLength(1)
  })

  test('is created with a retry, for a second before it is due', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const [id] = await publish(database, tenantId, { heldForMs: 15_000 })
    await database.pool.query('DELETE FROM endpoint_wakeups')
    await failAttempt(database, id!, { delayMs: 60_000 })
    const [wakeup] = await wakeups(endpointId)
    expect(wakeup!.in_ms).toBeGreaterThan(50_000)
    expect(wakeup!.in_ms).toBeLessThanOrEqual(59_000)
  })

  test('is created when an endpoint is enabled; disabled endpoints are not examined', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database, { enabled: false })
    const ids = await publish(database, tenantId, { count: 3 })
    await letWakeupsCome(database)
    expect(idsOf(await sweep())).toEqual([])
    expect(await wakeups(endpointId)).toEqual([])
    await setEnabled(database, endpointId, true)
    expect(idsOf(await sweep())).toEqual(ids.toSorted())
  })

  test('is deleted with the last delivery, and otherwise has the next due time', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const [first, second] = await publish(database, tenantId, { count: 2 })
    await sweep()
    const [untilHeld] = await wakeups(endpointId)
    expect(untilHeld!.in_ms).toBeGreaterThan(10_000)
    await failAttempt(database, first!, { delayMs: 300_000 })
    await succeed(database, [second!])
    await letWakeupsCome(database)
    await sweep()
    const [untilDue] = await wakeups(endpointId)
    expect(untilDue!.in_ms).toBeGreaterThan(250_000)
    expect(untilDue!.in_ms).toBeLessThanOrEqual(299_000)
    await database.pool.query('DELETE FROM pending_deliveries')
    await letWakeupsCome(database)
    await sweep()
    expect(await wakeups(endpointId)).toEqual([])
  })

  test('follows soon while all slots are in use, and the endpoint keeps counting as backlogged', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const other = await makeSubscriber(database)
    await publish(database, tenantId, { count: 4 })
    expect(idsOf(await sweep({ perEndpoint: both(2) }))).toHaveLength(2)
    expect(await wakeups(endpointId)).toMatchObject([{ is_full: true }])
    await publish(database, other.tenantId)
    const next = await sweep({ perEndpoint: both(2) })
    expect(next.attempts).toHaveLength(1)
    expect(next.backlogged).toEqual(new Set([endpointId]))
    await until(
      () => sweep({ perEndpoint: both(4) }),
      ({ attempts }) => attempts.length === 2,
    )
  })

  test('of a full lane does not delay another lane', async () => {
    const [slow, normal] = [await makeSubscriber(database), await makeSubscriber(database)]
    await database.pool.query(
      `UPDATE webhook_endpoint_schedules SET slow_until = now() + interval '1 hour' WHERE endpoint_id = $1`,
      [slow.endpointId],
    )
    await publish(database, slow.tenantId, { count: 300 })
    const [id] = await publish(database, normal.tenantId)
    expect(idsOf(await sweep({ max: { normal: 10, slow: 0 } }))).toEqual([id])
    // After the slow lane it is the normal lane's again, also while the slow lane has no room.
    await database.pool.query(
      `UPDATE webhook_endpoint_schedules SET slow_until = now() WHERE endpoint_id = $1`,
      [slow.endpointId],
    )
    expect(idsOf(await sweep({ max: { normal: 10, slow: 0 } }))).toHaveLength(10)
  })

  test('of an excluded tenant is postponed', async () => {
    const [one, other] = [await makeSubscriber(database), await makeSubscriber(database)]
    const [id] = await publish(database, one.tenantId)
    const [otherId] = await publish(database, other.tenantId)
    expect(idsOf(await sweep({ exceptTenantIds: [one.tenantId] }))).toEqual([otherId])
    await letWakeupsCome(database)
    expect(idsOf(await sweep())).toEqual([id])
  })
})

describe('restoreWakeups', () => {
  const walk = (afterEndpointId?: string, endpointsMax = 100) =>
    restoreWakeups(database, { afterEndpointId, endpointsMax, heldMsMax: 15_000 })

  test('adds missing wake-ups in slices', async () => {
    const ids = []
    for (let index = 0; index < 5; index++) {
      const { tenantId } = await makeSubscriber(database)
      ids.push(...(await publish(database, tenantId)))
    }
    await database.pool.query('DELETE FROM endpoint_wakeups')
    expect(idsOf(await sweep())).toEqual([])
    const first = await walk(undefined, 3)
    expect(first.restored).toBe(3)
    const second = await walk(first.lastEndpointId, 3)
    expect(second).toEqual({ lastEndpointId: undefined, restored: 2 })
    expect(await walk(undefined)).toMatchObject({ restored: 0 })
    expect(idsOf(await sweep())).toEqual(ids.toSorted())
  })

  test('ignores deliveries that are examined in time: held, due later or disabled', async () => {
    const held = await makeSubscriber(database)
    await publish(database, held.tenantId, { heldForMs: 15_000 })
    const later = await makeSubscriber(database)
    const [id] = await publish(database, later.tenantId)
    await failAttempt(database, id!, { delayMs: 60_000 })
    const claimed = await makeSubscriber(database)
    const [leased] = await publish(database, claimed.tenantId, { heldForMs: 15_000 })
    await claim(database, leased!)
    const disabled = await makeSubscriber(database, { enabled: false })
    await publish(database, disabled.tenantId)
    await database.pool.query('DELETE FROM endpoint_wakeups WHERE endpoint_id = $1', [
      disabled.endpointId,
    ])
    expect(await walk()).toEqual({ lastEndpointId: undefined, restored: 0 })
  })

  test('adds a wake-up if the only one is too late', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    const [id] = await publish(database, tenantId)
    await database.pool.query(`UPDATE endpoint_wakeups SET at = now() + interval '1 hour'`)
    expect((await walk()).restored).toBe(1)
    expect(idsOf(await sweep())).toEqual([id])
    // What is due before the remembered moment is found too.
    await lapseHold(database, id!)
    await database.pool.query('DELETE FROM endpoint_wakeups')
    await database.pool.query(
      `UPDATE webhook_endpoint_schedules SET due_from = now() + interval '1 hour' WHERE endpoint_id = $1`,
      [endpointId],
    )
    expect((await walk()).restored).toBe(1)
    expect(idsOf(await sweep())).toEqual([id])
  })
})
