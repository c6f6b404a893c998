import { timeOfUuidv7 } from '@hosting/core/ids'
import { redeliver } from '@hosting/postgres/deliveries'
import { advanceRecoveries, countRecoverable } from '@hosting/postgres/webhooks'
import { describe, expect, test } from '@jest/globals'
import {
  findPending,
  makeEndpoint,
  makeSubscriber,
  publish,
  setEnabled,
} from '../support/fixtures.ts'
import {
  database,
  type Target,
  endAs,
  makeDead,
  recover,
  show,
  redelivered,
} from '../support/recoveries.ts'
import { rollingBack } from '../support/database.ts'
import { until } from '../../../../test/support/until.ts'

describe('advanceRecoveries', () => {
  test('takes one step at a time, oldest first, and returns how many deliveries it created', async () => {
    const target = await makeDead(5)
    const { id } = await recover(target)
    expect(await show(target, id)).toEqual(['running', 0, 5])
    const steps: unknown[] = []
    for (let step = 0; step < 4; step++) {
      const made = await advanceRecoveries(database, { stepMax: 2, stepMs: 0, recoveriesMax: 9 })
      steps.push([made, await show(target, id)])
      expect(await redelivered(target)).toEqual(target.dead.slice(0, 2 * step + 2))
    }
    expect(steps).toEqual([
      [2, ['running', 2, 5]],
      [2, ['running', 4, 5]],
      [1, ['done', 5, 5]],
      [0, ['done', 5, 5]],
    ])
  })

  test('is done one step after a full step', async () => {
    const target = await makeDead(2)
    const { id } = await recover(target)
    expect(await advanceRecoveries(database, { stepMax: 2, stepMs: 0, recoveriesMax: 9 })).toBe(2)
    expect(await advanceRecoveries(database, { stepMax: 2, stepMs: 0, recoveriesMax: 9 })).toBe(0)
    expect(await show(target, id)).toEqual(['done', 2, 2])
  })

  test('concurrent calls send every dead delivery again exactly once', async () => {
    const targets = [await makeDead(17), await makeDead(9)]
    const ids = await Promise.all(targets.map(async (target) => (await recover(target)).id))
    const statuses = () =>
      Promise.all(targets.map(async (target, index) => (await show(target, ids[index]!))![0]))
    let made = 0
    for (let round = 0; round < 20 && (await statuses()).includes('running'); round++) {
      const counts = await Promise.all(
        Array.from({ length: 8 }, () =>
          advanceRecoveries(database, { stepMax: 2, stepMs: 0, recoveriesMax: 9 }),
        ),
      )
      made += counts.reduce((sum, count) => sum + count, 0)
    }
    expect(made).toBe(26)
    for (const [index, target] of targets.entries()) {
      const count = target.dead.length
      expect(await show(target, ids[index]!)).toEqual(['done', count, count])
      expect(await redelivered(target)).toEqual(target.dead)
    }
  })

  test('keeps its pace for any number of processes', async () => {
    const target = await makeDead(5)
    await recover(target)
    const pace = { stepMax: 1, stepMs: 60_000, recoveriesMax: 9 }
    expect(await advanceRecoveries(database, pace)).toBe(1)
    expect(await advanceRecoveries(database, pace)).toBe(0)
    expect(await redelivered(target)).toEqual(target.dead.slice(0, 1))
  })

  test('skips recoveries that another process is working on', async () => {
    const [held, free] = [await makeDead(1), await makeDead(1)]
    const heldId = (await recover(held)).id
    const freeId = (await recover(free)).id
    await rollingBack(database, async (client) => {
      await client.query('SELECT 1 FROM webhook_recoveries WHERE id = $1 FOR UPDATE', [heldId])
      expect(await advanceRecoveries(database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })).toBe(
        1,
      )
      expect(await show(free, freeId)).toEqual(['done', 1, 1])
      expect(await show(held, heldId)).toEqual(['running', 0, 1])
    })
    expect(await advanceRecoveries(database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })).toBe(1)
    expect(await show(held, heldId)).toEqual(['done', 1, 1])
  })

  test('sends only dead deliveries of the endpoint within the time range again', async () => {
    const target = await makeDead(1)
    await endAs('succeeded', (await publish(database, target.tenantId))[0]!)
    await publish(database, target.tenantId)
    const [earlier, later] = [Date.now() - 60_000, Date.now() + 60_000]
    const spans = [
      { sinceMs: earlier - 1_000, untilMs: earlier },
      { sinceMs: later, untilMs: later + 1_000 },
    ]
    for (const span of spans) {
      const { status, total } = await recover(target, span)
      expect([status, total]).toEqual(['done', 0])
    }
    await recover(await makeSubscriber(database))
    expect(await advanceRecoveries(database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })).toBe(0)
    await recover(target)
    expect(await advanceRecoveries(database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })).toBe(1)
    expect(await redelivered(target)).toEqual(target.dead)
  })

  test('creates deliveries that wait for the relay, even for a disabled endpoint', async () => {
    const target = await makeDead(1)
    await setEnabled(database, target.endpointId, false)
    await recover(target)
    await advanceRecoveries(database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })
    const { rows } = await database.pool.query<{ delivery_id: string }>(
      'SELECT delivery_id FROM pending_deliveries WHERE endpoint_id = $1',
      [target.endpointId],
    )
    expect(rows).toHaveLength(1)
    const pending = await findPending(database, rows[0]!.delivery_id)
    expect(pending).toMatchObject({ attempts_made: 0, lease_id: null })
    expect(pending!.held_for_ms).toBeLessThanOrEqual(0)
  })

  test('includes deliveries that die in the range while it runs', async () => {
    const target = await makeDead(1)
    const [late] = await publish(database, target.tenantId)
    const { id, total } = await recover(target)
    expect(total).toBe(1)
    await endAs('dead', late!)
    await advanceRecoveries(database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })
    expect(await show(target, id)).toEqual(['done', 2, 2])
  })
})

describe('the dead deliveries that a recovery sends again', () => {
  const many = { stepMax: 10, stepMs: 0, recoveriesMax: 9 }
  const span = () => ({ sinceMs: Date.now() - 60_000, untilMs: Date.now() + 1 })
  const count = async (target: Target) =>
    (await countRecoverable(database.prisma, target, { span: span() })).total
  const redeliverNow = async (id: string) =>
    (await database.prisma.$transaction((tx) => redeliver(tx, [id], 0)))[0]!.deliveryId

  test('exclude those whose event is in flight again or has since reached the endpoint', async () => {
    const target = await makeDead(3)
    const [waiting, reached] = target.dead
    await redeliverNow(waiting!)
    await endAs('succeeded', await redeliverNow(reached!))
    expect(await count(target)).toBe(1)
    await recover(target)
    expect(await advanceRecoveries(database, many)).toBe(1)
    expect(await redelivered(target)).toEqual(target.dead)
    expect(await count(target)).toBe(0)
  })

  test.each([
    ['has reached the endpoint', (id: string) => endAs('succeeded', id)],
    ['is in progress', () => Promise.resolve()],
  ])(
    'exclude those of whose event an earlier redelivery %s, in the span or before',
    async (_, proceed) => {
      const target = await makeDead(1)
      const first = await redeliverNow(target.dead[0]!)
      await until(
        () => Promise.resolve(Date.now()),
        (nowMs) => nowMs > timeOfUuidv7(first),
      )
      const second = await redeliverNow(target.dead[0]!)
      await endAs('dead', second)
      await proceed(first)
      expect(await count(target)).toBe(0)
      const afterFirst = { ...span(), sinceMs: timeOfUuidv7(second) }
      const late = await countRecoverable(database.prisma, target, { span: afterFirst })
      expect(late.total).toBe(0)
      expect(await show(target, (await recover(target)).id)).toEqual(['done', 0, 0])
    },
  )

  test('include a redelivery of an event that its first delivery had brought', async () => {
    const target = await makeSubscriber(database)
    const [first] = await publish(database, target.tenantId)
    await endAs('succeeded', first!)
    await endAs('dead', await redeliverNow(first!))
    expect(await count(target)).toBe(1)
  })

  test('include each event once, by its most recent dead delivery', async () => {
    const target = await makeDead(1)
    const second = await redeliverNow(target.dead[0]!)
    await endAs('dead', second)
    expect(await count(target)).toBe(1)
    await recover(target)
    expect(await advanceRecoveries(database, many)).toBe(1)
    expect(await redelivered(target)).toEqual([target.dead[0], second].toSorted())
  })

  test('are found by one step even if many before them are left out', async () => {
    const target = await makeDead(9)
    for (const id of target.dead.slice(0, 6)) await endAs('succeeded', await redeliverNow(id))
    const { id } = await recover(target)
    expect(await advanceRecoveries(database, { ...many, stepMax: 2 })).toBe(2)
    expect(await redelivered(target)).toEqual(target.dead.slice(0, 8))
    expect(await advanceRecoveries(database, { ...many, stepMax: 2 })).toBe(1)
    expect(await show(target, id)).toEqual(['done', 3, 3])
  })

  test('are those of this endpoint, regardless of other endpoints', async () => {
    const target = await makeSubscriber(database)
    const other = await makeEndpoint(database, target.tenantId)
    const ids = await publish(database, target.tenantId)
    const { rows } = await database.pool.query<{ id: string }>(
      'SELECT id FROM all_deliveries WHERE id = ANY ($1) ORDER BY endpoint_id = $2',
      [ids, other],
    )
    const [mine, others] = rows.map(({ id }) => id)
    await endAs('dead', mine!)
    await endAs('succeeded', others!)
    expect(await count(target)).toBe(1)
    expect(await count({ ...target, endpointId: other })).toBe(0)
  })

  test('are counted again at the end: manual redeliveries in the meantime are not in the total', async () => {
    const target = await makeDead(2)
    const { id, total } = await recover(target)
    expect(total).toBe(2)
    await redeliverNow(target.dead[1]!)
    expect(await advanceRecoveries(database, many)).toBe(1)
    expect(await show(target, id)).toEqual(['done', 1, 1])
  })
})
