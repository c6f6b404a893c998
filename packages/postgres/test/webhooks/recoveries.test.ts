import { advanceRecoveries, cancelRecoveries, dropOldRecoveries } from '@hosting/postgres/webhooks'
import { describe, expect, test } from '@jest/globals'
import { makeEndpoint, makeSubscriber, publish } from '../support/fixtures.ts'
import {
  database,
  type Target,
  endAs,
  makeDead,
  recover,
  show,
  redelivered,
} from '../support/recoveries.ts'

describe('recoveries of several tenants', () => {
  test('take turns by tenant, however many recoveries each has', async () => {
    const busy = await makeSubscriber(database)
    const endpoints = [busy.endpointId]
    for (let made = 0; made < 4; made++) endpoints.push(await makeEndpoint(database, busy.tenantId))
    for (const id of await publish(database, busy.tenantId, { count: 6 })) await endAs('dead', id)
    const quiet = await makeDead(2)
    for (const endpointId of endpoints) await recover({ ...busy, endpointId })
    await recover(quiet)
    const pace = { stepMax: 1, stepMs: 0, recoveriesMax: 2 }
    const countOf = async ({ tenantId }: Target) => {
      const { rows } = await database.pool.query<{ made: number }>(
        'SELECT sum(done)::int AS made FROM webhook_recoveries WHERE tenant_id = $1',
        [tenantId],
      )
      return rows[0]!.made
    }
    for (let round = 1; round <= 2; round++) {
      expect(await advanceRecoveries(database, pace)).toBe(2)
      expect([await countOf(busy), await countOf(quiet)]).toEqual([round, round])
    }
  })

  test('share one pace: one of the processes starts each round once per interval', async () => {
    const targets = [await makeDead(3), await makeDead(3), await makeDead(3)]
    for (const target of targets) await recover(target)
    await database.pool.query('DELETE FROM recovery_rounds')
    const pace = { stepMax: 1, stepMs: 60_000, recoveriesMax: 2 }
    const made = await Promise.all(
      Array.from({ length: 8 }, () => advanceRecoveries(database, pace)),
    )
    expect(made.reduce((sum, count) => sum + count, 0)).toBe(2)
  })
})

describe('cancelRecoveries', () => {
  test('stops the named recovery and keeps the created deliveries', async () => {
    const [target, otherTarget] = [await makeDead(3), await makeDead(3)]
    const { id } = await recover(target)
    const other = (await recover(otherTarget)).id
    await advanceRecoveries(database, { stepMax: 1, stepMs: 0, recoveriesMax: 9 })
    await cancelRecoveries(database.prisma, { id })
    expect(await advanceRecoveries(database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })).toBe(2)
    expect(await show(target, id)).toEqual(['cancelled', 1, 3])
    expect(await show(otherTarget, other)).toEqual(['done', 3, 3])
    expect(await redelivered(target)).toHaveLength(1)
  })

  test('stops every running recovery of the endpoint, and no other', async () => {
    const [target, other] = [await makeDead(1), await makeDead(1)]
    const done = (await recover(target, { untilMs: Date.now() - 59_000 })).id
    const running = [(await recover(target)).id, (await recover(target)).id]
    const kept = (await recover(other)).id
    await cancelRecoveries(database.prisma, { endpointId: target.endpointId })
    expect(await show(target, done)).toEqual(['done', 0, 0])
    for (const id of running) expect(await show(target, id)).toEqual(['cancelled', 0, 1])
    expect(await advanceRecoveries(database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })).toBe(1)
    expect(await show(other, kept)).toEqual(['done', 1, 1])
  })

  test('counts the deliveries of a concurrent step', async () => {
    const target = await makeDead(8)
    const { id } = await recover(target)
    await Promise.all([
      ...Array.from({ length: 4 }, () =>
        advanceRecoveries(database, { stepMax: 1, stepMs: 0, recoveriesMax: 9 }),
      ),
      cancelRecoveries(database.prisma, { id }),
      ...Array.from({ length: 4 }, () =>
        advanceRecoveries(database, { stepMax: 1, stepMs: 0, recoveriesMax: 9 }),
      ),
    ])
    const [status, done] = (await show(target, id))!
    expect(status).toBe('cancelled')
    expect(await advanceRecoveries(database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })).toBe(0)
    expect(await redelivered(target)).toHaveLength(done as number)
  })
})

describe('findRecovery', () => {
  test('finds a recovery only by its organization and endpoint', async () => {
    const [target, other] = [await makeDead(1), await makeDead(1)]
    const { id } = await recover(target)
    expect(await show(target, id)).toEqual(['running', 0, 1])
    expect(await show({ ...target, tenantId: other.tenantId }, id)).toBeNull()
    expect(await show({ ...target, endpointId: other.endpointId }, id)).toBeNull()
  })
})

test('dropOldRecoveries deletes only ended recoveries that were requested over 30 days ago', async () => {
  const [old, running, recent] = [await makeDead(1), await makeDead(1), await makeDead(1)]
  const ids = [(await recover(old)).id, (await recover(running)).id, (await recover(recent)).id]
  await database.pool.query(
    `UPDATE webhook_recoveries SET created_at = now() - interval '31 days' WHERE id = ANY ($1::uuid[])`,
    [ids.slice(0, 2)],
  )
  await database.pool.query(
    `UPDATE webhook_recoveries SET status = 'done' WHERE id = ANY ($1::uuid[])`,
    [[ids[0], ids[2]]],
  )
  expect(await dropOldRecoveries(database)).toBe(1)
  expect(await show(old, ids[0]!)).toBeNull()
  expect(await show(running, ids[1]!)).not.toBeNull()
  expect(await show(recent, ids[2]!)).not.toBeNull()
})
