import { slowLaneMs } from '@hosting/core/webhooks'
import { describe, expect, test } from '@jest/globals'
import {
  failAttempt,
  makeSubscriber,
  publish,
  removeEndpoint,
  setEnabled,
  succeed,
  timeOut,
} from '../support/fixtures.ts'
import { database, both, take, takeIds, makeBacklog } from '../support/due-attempts.ts'

describe('an endpoint that timed out recently', () => {
  test('is in the slow lane, which has its own limits', async () => {
    const [slow, normal] = [await makeSubscriber(database), await makeSubscriber(database)]
    const [first] = await publish(database, slow.tenantId)
    await timeOut(database, first!)
    await makeBacklog(slow.tenantId, 5)
    await makeBacklog(normal.tenantId, 5)
    const perEndpoint = { normal: 4, slow: 2 }
    const lanesOf = async (max: { normal: number; slow: number }) =>
      (await take({ perEndpoint, max })).attempts.map(({ lane, endpointId }) => {
        expect(endpointId).toBe((lane === 'slow' ? slow : normal).endpointId)
        return lane
      })
    expect(await lanesOf({ normal: 0, slow: 1 })).toEqual(['slow'])
    expect(await lanesOf({ normal: 1, slow: 0 })).toEqual(['normal'])
    const rest = await lanesOf({ normal: 100, slow: 100 })
    expect(rest.toSorted()).toEqual(['normal', 'normal', 'normal', 'slow'])
    expect(await lanesOf({ normal: 100, slow: 100 })).toEqual([])
    const { backlogged } = await take({ perEndpoint })
    expect([...backlogged].toSorted()).toEqual([slow.endpointId, normal.endpointId].toSorted())
  })

  test('stays in the slow lane for the configured time, and other failures move no endpoint there', async () => {
    const [slow, failing] = [await makeSubscriber(database), await makeSubscriber(database)]
    const [first] = await publish(database, slow.tenantId)
    await timeOut(database, first!)
    const [other] = await publish(database, failing.tenantId)
    await failAttempt(database, other!)
    const slowForMs = async ({ endpointId }: { endpointId: string }) => {
      const { rows } = await database.pool.query<{ ms: number | null }>(
        `SELECT (extract(epoch FROM slow_until - now()) * 1000)::float8 AS ms
         FROM webhook_endpoint_schedules WHERE endpoint_id = $1`,
        [endpointId],
      )
      return rows[0]!.ms
    }
    expect(await slowForMs(failing)).toBeNull()
    expect(await slowForMs(slow)).toBeGreaterThan(slowLaneMs - 10_000)
    expect(await slowForMs(slow)).toBeLessThanOrEqual(slowLaneMs)
    const [second] = await publish(database, slow.tenantId)
    await succeed(database, [second!])
    expect(await slowForMs(slow)).toBeGreaterThan(slowLaneMs - 10_000)

    await database.pool.query(
      `UPDATE webhook_endpoint_schedules SET slow_until = now() + interval '1 second' WHERE endpoint_id = $1`,
      [slow.endpointId],
    )
    const [third] = await publish(database, slow.tenantId)
    await timeOut(database, third!)
    expect(await slowForMs(slow)).toBeGreaterThan(slowLaneMs - 10_000)
    await database.pool.query(
      `UPDATE webhook_endpoint_schedules SET slow_until = now() - interval '1 ms' WHERE endpoint_id = $1`,
      [slow.endpointId],
    )
    await publish(database, slow.tenantId)
    const { attempts } = await take({}, [slow.endpointId])
    expect(attempts.map(({ lane }) => lane)).toEqual(['normal'])
  })
})

describe('endpoints that accept no deliveries', () => {
  test('get nothing while disabled, until they are enabled', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database, { enabled: false })
    const ids = await publish(database, tenantId, { count: 2 })
    expect(await takeIds()).toEqual([])
    await setEnabled(database, endpointId, true)
    expect(await takeIds()).toEqual(ids.toSorted())
  })

  test('get nothing after deletion', async () => {
    const { tenantId, endpointId } = await makeSubscriber(database)
    await publish(database, tenantId)
    await removeEndpoint(database, endpointId)
    expect(await takeIds()).toEqual([])
  })

  test('use nothing of the limits', async () => {
    const { tenantId } = await makeSubscriber(database, { enabled: false })
    await publish(database, tenantId, { count: 5 })
    const open = await makeSubscriber(database)
    const ids = await publish(database, open.tenantId, { count: 2 })
    expect(await takeIds({ max: both(2) })).toEqual(ids.toSorted())
  })
})
