import { finishAttempts } from '@hosting/postgres/deliveries'
import { publishEvents } from '@hosting/postgres/webhooks'
import { describe, expect, test } from '@jest/globals'
import {
  buildEvent,
  buildFinished,
  claim,
  failAttempt,
  heldFor,
  makeEndpoint,
  makeSubscriber,
  publish,
  removeEndpoint,
  succeed,
} from '../support/fixtures.ts'
import { database, both, postpone, take, takeIds, makeBacklog } from '../support/due-attempts.ts'

describe('the share of an endpoint', () => {
  test('takes the deliveries due longest up to the limit in progress; the others wait until these end', async () => {
    const { tenantId } = await makeSubscriber(database)
    const ids = await makeBacklog(tenantId, 7)
    expect(await takeIds({ perEndpoint: both(3) })).toEqual(ids.slice(0, 3).toSorted())
    // Held, in progress, or waiting for a slot: it keeps its slot.
    const leaseId = (await claim(database, ids[0]!))!
    await postpone([ids[1]!])
    expect(await takeIds({ perEndpoint: both(3) })).toEqual([ids[1]])
    expect(await take({ perEndpoint: both(3) })).toMatchObject({ attempts: [] })
    await finishAttempts(database, [buildFinished({ deliveryId: ids[0]!, leaseId })])
    expect(await takeIds({ perEndpoint: both(3) })).toEqual([ids[3]])
    // A retry leaves its slot to the next until it is due.
    await failAttempt(database, ids[1]!, { delayMs: 60_000 })
    await succeed(database, [ids[2]!])
    expect(await takeIds({ perEndpoint: both(3) })).toEqual(ids.slice(4, 6).toSorted())
    await succeed(database, ids.slice(3, 6))
    expect(await takeIds({ perEndpoint: both(3) })).toEqual([ids[6]])
  })

  test('stays constant while attempts run, even for a thousand deliveries that were published at once', async () => {
    const { tenantId } = await makeSubscriber(database)
    const events = Array.from({ length: 1_000 }, () => buildEvent(tenantId))
    const { deliveries } = await publishEvents(database, events, undefined)
    expect(deliveries).toHaveLength(1_000)
    const ids = await takeIds({ perEndpoint: both(25) })
    expect(ids).toHaveLength(25)
    for (const deliveryId of ids) expect(await claim(database, deliveryId)).toBeDefined()
    expect(await takeIds({ perEndpoint: both(25) })).toEqual([])
    await database.pool.query('VACUUM pending_deliveries')
    expect(await takeIds({ perEndpoint: both(25) })).toEqual([])
  })

  test('consists of the deliveries that got the first jobs at publishing, in order', async () => {
    const { tenantId } = await makeSubscriber(database)
    const events = Array.from({ length: 300 }, () => buildEvent(tenantId))
    const firstJobs = heldFor(60_000, { perTenantMax: 100 })
    const { deliveries } = await publishEvents(database, events, firstJobs)
    const withJobs = deliveries.filter(({ held }) => held).map(({ deliveryId }) => deliveryId)
    expect(withJobs).toHaveLength(100)
    for (const deliveryId of withJobs.slice(0, 25)) await claim(database, deliveryId)
    await postpone(withJobs.slice(25))
    expect(await takeIds({ perEndpoint: both(25) })).toEqual([])
    expect(await takeIds({ perEndpoint: both(26) })).toEqual([withJobs[25]])
  })

  test('includes deliveries that publishing reserved for jobs', async () => {
    const { tenantId } = await makeSubscriber(database)
    const held = await publish(database, tenantId, { count: 2, heldForMs: 60_000 })
    const free = await publish(database, tenantId, { count: 2 })
    expect(await takeIds({ perEndpoint: both(2) })).toEqual([])
    expect(await takeIds({ perEndpoint: both(3) })).toEqual([free[0]])
    await succeed(database, held)
    expect(await takeIds({ perEndpoint: both(2) })).toEqual([free[1]])
  })

  test('reports the endpoints that have reached their limit, and how long their oldest delivery has been due', async () => {
    const [full, short] = [await makeSubscriber(database), await makeSubscriber(database)]
    const disabled = await makeSubscriber(database, { enabled: false })
    await makeBacklog(full.tenantId, 3)
    await makeBacklog(short.tenantId, 2)
    await makeBacklog(disabled.tenantId, 30)
    for (const isFirst of [true, false]) {
      const work = await take({ perEndpoint: both(3) })
      expect(work.attempts).toHaveLength(isFirst ? 5 : 0)
      expect([...work.backlogged]).toEqual([full.endpointId])
      expect(work.oldestDueMs).toBeGreaterThanOrEqual(3_000)
      expect(work.oldestDueMs).toBeLessThan(15_000)
    }
    const ofShort = await take({ perEndpoint: both(2) }, [short.endpointId])
    expect([...ofShort.backlogged]).toEqual([short.endpointId])
    await database.pool.query('DELETE FROM pending_deliveries')
    expect(await take()).toMatchObject({ attempts: [], backlogged: new Set(), oldestDueMs: 0 })
  })

  test('reports no backlog for deliveries that are not due yet', async () => {
    const { tenantId } = await makeSubscriber(database)
    const ids = await publish(database, tenantId, { count: 3 })
    for (const id of ids) await failAttempt(database, id, { delayMs: 60_000 })
    const work = await take({ horizonMs: 120_000, perEndpoint: both(2) })
    expect(work).toMatchObject({ backlogged: new Set(), oldestDueMs: 0 })
    expect(work.attempts).toHaveLength(2)
  })

  test('can be limited to some endpoints, and skips closed endpoints', async () => {
    const subscribers = []
    for (const enabled of [true, true, false, true]) {
      subscribers.push(await makeSubscriber(database, { enabled }))
    }
    const ids = []
    for (const { tenantId } of subscribers) ids.push(...(await publish(database, tenantId)))
    await removeEndpoint(database, subscribers[3]!.endpointId)
    const asked = subscribers.slice(1).map(({ endpointId }) => endpointId)
    expect(await takeIds({}, [])).toEqual([])
    expect(await takeIds({}, asked)).toEqual([ids[1]])
    expect(await takeIds()).toEqual([ids[0]])
  })

  test('does not reduce the share of others: a long backlog delays no other endpoint', async () => {
    const busy = await makeSubscriber(database)
    await publish(database, busy.tenantId, { count: 30 })
    const others = []
    for (let index = 0; index < 3; index++) {
      const { tenantId } = await makeSubscriber(database)
      others.push(...(await publish(database, tenantId)))
    }
    const due = await takeIds({ perEndpoint: both(4) })
    expect(due).toHaveLength(4 + 3)
    expect(due).toEqual(expect.arrayContaining(others))
  })

  test('never exceeds the total limit together with other shares', async () => {
    const { tenantId } = await makeSubscriber(database)
    for (let index = 0; index < 4; index++) await makeEndpoint(database, tenantId)
    await publish(database, tenantId, { count: 2 })
    expect(await takeIds({ max: both(0) })).toEqual([])
    expect(await takeIds({ max: both(3) })).toHaveLength(3)
    expect(await takeIds()).toHaveLength(10 - 3)
  })
})

describe('organizations take turns', () => {
  test('an organization with one due delivery is in the first batch although another has thousands', async () => {
    const [busy, quiet] = [await makeSubscriber(database), await makeSubscriber(database)]
    const template = await publish(database, busy.tenantId)
    const [one] = await publish(database, quiet.tenantId)
    await database.pool.query(
      `INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, due_at, held_until)
       SELECT uuid_v7(), tenant_id, endpoint_id, event_ref, due_at - i * interval '1 ms', held_until
       FROM pending_deliveries, generate_series(1, 3000) i WHERE delivery_id = $1`,
      [template[0]],
    )
    const perEndpoint = both(10_000)
    const { attempts } = await take({ perEndpoint, max: both(10) })
    expect(attempts).toHaveLength(10)
    expect(attempts.slice(0, 2).map(({ deliveryId }) => deliveryId)).toContain(one)
    const next = await take({ perEndpoint, max: both(10) })
    expect(new Set(next.attempts.map(({ endpointId }) => endpointId))).toEqual(
      new Set([busy.endpointId]),
    )
  })

  test('even if one organization has many endpoints', async () => {
    const busy = await makeSubscriber(database)
    for (let index = 0; index < 8; index++) await makeEndpoint(database, busy.tenantId)
    await publish(database, busy.tenantId, { count: 5 })
    const quiet = await makeSubscriber(database)
    const few = await publish(database, quiet.tenantId, { count: 2 })
    const taken = await takeIds({ max: both(4) })
    expect(taken).toHaveLength(4)
    expect(taken).toEqual(expect.arrayContaining(few))
  })
})
