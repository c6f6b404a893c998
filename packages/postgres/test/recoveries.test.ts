import {
  advanceRecoveries,
  cancelRecoveries,
  countRecoverable,
  createRecovery,
  dropOldRecoveries,
  finishAttempts,
  findRecovery,
  makePartitions,
  redeliver,
  type RecoverySpan,
} from '@hosting/postgres'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { useDatabase } from './support/database.ts'
import {
  buildFinished,
  claim,
  findPending,
  makeEndpoint,
  makeSubscriber,
  publish,
  setEnabled,
} from './support/fixtures.ts'

const database = useDatabase()
beforeAll(async () => {
  await makePartitions(database)
})
beforeEach(async () => {
  await database.pool.query('DELETE FROM webhook_recoveries; DELETE FROM recovery_rounds')
})

interface Place {
  readonly tenantId: string
  readonly endpointId: string
}

async function endAs(status: 'succeeded' | 'dead', deliveryId: string): Promise<void> {
  const leaseId = (await claim(database, deliveryId))!
  await finishAttempts(database, [
    buildFinished({
      deliveryId,
      leaseId,
      nextStep: { status },
      ...(status === 'dead' && { outcome: { statusCode: 500, errorClass: 'http_error' } }),
    }),
  ])
}

/** Creates an endpoint with dead deliveries. Returns their ids. */
async function makeDead(count: number) {
  const place = await makeSubscriber(database)
  const dead = (await publish(database, place.tenantId, { count })).toSorted()
  for (const id of dead) await endAs('dead', id)
  return { ...place, dead }
}

const recover = (place: Place, span: Partial<RecoverySpan> = {}) =>
  createRecovery(
    database.prisma,
    { tenantId: place.tenantId, endpointId: place.endpointId },
    { sinceMs: Date.now() - 60_000, untilMs: Date.now() + 1, ...span },
  )

const show = async ({ tenantId, endpointId }: Place, id: string) => {
  const row = await findRecovery(database.prisma, { tenantId, endpointId, id })
  return row && [row.status, row.done, row.total]
}

/** Which deliveries were sent again, each as often as it was, by their ids. */
async function redelivered({ endpointId }: Place): Promise<string[]> {
  const { rows } = await database.pool.query<{ id: string }>(
    `SELECT redelivery_of AS id FROM deliveries
     WHERE endpoint_id = $1 AND redelivery_of IS NOT NULL ORDER BY 1`,
    [endpointId],
  )
  return rows.map(({ id }) => id)
}

describe('advanceRecoveries', () => {
  test('takes a step at a time, oldest first, and says how many it made', async () => {
    const place = await makeDead(5)
    const { id } = await recover(place)
    expect(await show(place, id)).toEqual(['running', 0, 5])
    const steps: unknown[] = []
    for (let step = 0; step < 4; step++) {
      const made = await advanceRecoveries(database, { stepMax: 2, stepMs: 0, recoveriesMax: 9 })
      steps.push([made, await show(place, id)])
      expect(await redelivered(place)).toEqual(place.dead.slice(0, 2 * step + 2))
    }
    expect(steps).toEqual([
      [2, ['running', 2, 5]],
      [2, ['running', 4, 5]],
      [1, ['done', 5, 5]],
      [0, ['done', 5, 5]],
    ])
  })

  test('is done a step later if the last one was full', async () => {
    const place = await makeDead(2)
    const { id } = await recover(place)
    expect(await advanceRecoveries(database, { stepMax: 2, stepMs: 0, recoveriesMax: 9 })).toBe(2)
    expect(await advanceRecoveries(database, { stepMax: 2, stepMs: 0, recoveriesMax: 9 })).toBe(0)
    expect(await show(place, id)).toEqual(['done', 2, 2])
  })

  test('by many at once sends every dead delivery again exactly once', async () => {
    const places = [await makeDead(17), await makeDead(9)]
    const ids = await Promise.all(places.map(async (place) => (await recover(place)).id))
    const statuses = () =>
      Promise.all(places.map(async (place, index) => (await show(place, ids[index]!))![0]))
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
    for (const [index, place] of places.entries()) {
      const count = place.dead.length
      expect(await show(place, ids[index]!)).toEqual(['done', count, count])
      expect(await redelivered(place)).toEqual(place.dead)
    }
  })

  test('keeps its pace, however many take it further', async () => {
    const place = await makeDead(5)
    await recover(place)
    const pace = { stepMax: 1, stepMs: 60_000, recoveriesMax: 9 }
    expect(await advanceRecoveries(database, pace)).toBe(1)
    expect(await advanceRecoveries(database, pace)).toBe(0)
    expect(await redelivered(place)).toEqual(place.dead.slice(0, 1))
  })

  test('skips what another process is working on', async () => {
    const [held, free] = [await makeDead(1), await makeDead(1)]
    const heldId = (await recover(held)).id
    const freeId = (await recover(free)).id
    const client = await database.pool.connect()
    try {
      await client.query('BEGIN')
      await client.query('SELECT 1 FROM webhook_recoveries WHERE id = $1 FOR UPDATE', [heldId])
      expect(await advanceRecoveries(database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })).toBe(
        1,
      )
      expect(await show(free, freeId)).toEqual(['done', 1, 1])
      expect(await show(held, heldId)).toEqual(['running', 0, 1])
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
    expect(await advanceRecoveries(database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })).toBe(1)
    expect(await show(held, heldId)).toEqual(['done', 1, 1])
  })

  test('sends again only what is dead, of the span and of the endpoint', async () => {
    const place = await makeDead(1)
    await endAs('succeeded', (await publish(database, place.tenantId))[0]!)
    await publish(database, place.tenantId)
    const [earlier, later] = [Date.now() - 60_000, Date.now() + 60_000]
    const spans = [
      { sinceMs: earlier - 1_000, untilMs: earlier },
      { sinceMs: later, untilMs: later + 1_000 },
    ]
    for (const span of spans) {
      const { status, total } = await recover(place, span)
      expect([status, total]).toEqual(['done', 0])
    }
    await recover(await makeSubscriber(database))
    expect(await advanceRecoveries(database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })).toBe(0)
    await recover(place)
    expect(await advanceRecoveries(database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })).toBe(1)
    expect(await redelivered(place)).toEqual(place.dead)
  })

  test('what it creates waits for the relay only, also for a disabled endpoint', async () => {
    const place = await makeDead(1)
    await setEnabled(database, place.endpointId, false)
    await recover(place)
    await advanceRecoveries(database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })
    const { rows } = await database.pool.query<{ delivery_id: string }>(
      'SELECT delivery_id FROM pending_deliveries WHERE endpoint_id = $1',
      [place.endpointId],
    )
    expect(rows).toHaveLength(1)
    const pending = await findPending(database, rows[0]!.delivery_id)
    expect(pending).toMatchObject({ attempts_made: 0, lease_id: null })
    expect(pending!.held_for_ms).toBeLessThanOrEqual(0)
  })

  test('counts what dies in the span while it runs', async () => {
    const place = await makeDead(1)
    const [late] = await publish(database, place.tenantId)
    const { id, total } = await recover(place)
    expect(total).toBe(1)
    await endAs('dead', late!)
    await advanceRecoveries(database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })
    expect(await show(place, id)).toEqual(['done', 2, 2])
  })
})

describe('the dead deliveries of a span that are sent again', () => {
  const many = { stepMax: 10, stepMs: 0, recoveriesMax: 9 }
  const span = () => ({ sinceMs: Date.now() - 60_000, untilMs: Date.now() + 1 })
  const count = async ({ endpointId }: Place) =>
    (await countRecoverable(database.prisma, endpointId, span())).total
  const redeliverNow = async (id: string) =>
    (await database.prisma.$transaction((tx) => redeliver(tx, [id], 0)))[0]!.deliveryId

  test('are not those whose event is on its way again, or has reached the endpoint since', async () => {
    const place = await makeDead(3)
    const [waiting, reached] = place.dead
    await redeliverNow(waiting!)
    await endAs('succeeded', await redeliverNow(reached!))
    expect(await count(place)).toBe(1)
    await recover(place)
    expect(await advanceRecoveries(database, many)).toBe(1)
    expect(await redelivered(place)).toEqual(place.dead)
    expect(await count(place)).toBe(0)
  })

  test('are one of each event: the last that died', async () => {
    const place = await makeDead(1)
    const second = await redeliverNow(place.dead[0]!)
    await endAs('dead', second)
    expect(await count(place)).toBe(1)
    await recover(place)
    expect(await advanceRecoveries(database, many)).toBe(1)
    expect(await redelivered(place)).toEqual([place.dead[0], second].toSorted())
  })

  test('are those of this endpoint, whatever another endpoint got of the event', async () => {
    const place = await makeSubscriber(database)
    const other = await makeEndpoint(database, place.tenantId)
    const ids = await publish(database, place.tenantId)
    const { rows } = await database.pool.query<{ id: string }>(
      'SELECT id FROM deliveries WHERE id = ANY ($1) ORDER BY endpoint_id = $2',
      [ids, other],
    )
    const [mine, others] = rows.map(({ id }) => id)
    await endAs('dead', mine!)
    await endAs('succeeded', others!)
    expect(await count(place)).toBe(1)
    expect(await count({ ...place, endpointId: other })).toBe(0)
  })

  test('are counted again when it ends: what was redelivered manually meanwhile is not in its total', async () => {
    const place = await makeDead(2)
    const { id, total } = await recover(place)
    expect(total).toBe(2)
    await redeliverNow(place.dead[1]!)
    expect(await advanceRecoveries(database, many)).toBe(1)
    expect(await show(place, id)).toEqual(['done', 1, 1])
  })
})

describe('recoveries of several tenants', () => {
  test('take turns by tenant, however many recoveries one of them has', async () => {
    const busy = await makeSubscriber(database)
    const endpoints = [busy.endpointId]
    for (let made = 0; made < 4; made++) endpoints.push(await makeEndpoint(database, busy.tenantId))
    for (const id of await publish(database, busy.tenantId, { count: 6 })) await endAs('dead', id)
    const quiet = await makeDead(2)
    for (const endpointId of endpoints) await recover({ ...busy, endpointId })
    await recover(quiet)
    const pace = { stepMax: 1, stepMs: 0, recoveriesMax: 2 }
    const countOf = async ({ tenantId }: Place) => {
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

  test('hold the pace together: a round is started once in its time, by one of many', async () => {
    const places = [await makeDead(3), await makeDead(3), await makeDead(3)]
    for (const place of places) await recover(place)
    await database.pool.query('DELETE FROM recovery_rounds')
    const pace = { stepMax: 1, stepMs: 60_000, recoveriesMax: 2 }
    const made = await Promise.all(
      Array.from({ length: 8 }, () => advanceRecoveries(database, pace)),
    )
    expect(made.reduce((sum, count) => sum + count, 0)).toBe(2)
  })
})

describe('cancelRecoveries', () => {
  test('stops the one that it names, and keeps what was made', async () => {
    const [place, otherPlace] = [await makeDead(3), await makeDead(3)]
    const { id } = await recover(place)
    const other = (await recover(otherPlace)).id
    await advanceRecoveries(database, { stepMax: 1, stepMs: 0, recoveriesMax: 9 })
    await cancelRecoveries(database.prisma, { id })
    expect(await advanceRecoveries(database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })).toBe(2)
    expect(await show(place, id)).toEqual(['cancelled', 1, 3])
    expect(await show(otherPlace, other)).toEqual(['done', 3, 3])
    expect(await redelivered(place)).toHaveLength(1)
  })

  test('stops every running one of an endpoint, and no other', async () => {
    const [place, other] = [await makeDead(1), await makeDead(1)]
    const done = (await recover(place, { untilMs: Date.now() - 59_000 })).id
    const running = [(await recover(place)).id, (await recover(place)).id]
    const kept = (await recover(other)).id
    await cancelRecoveries(database.prisma, { endpointId: place.endpointId })
    expect(await show(place, done)).toEqual(['done', 0, 0])
    for (const id of running) expect(await show(place, id)).toEqual(['cancelled', 0, 1])
    expect(await advanceRecoveries(database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })).toBe(1)
    expect(await show(other, kept)).toEqual(['done', 1, 1])
  })

  test('against steps at the same moment, the count is of what was made', async () => {
    const place = await makeDead(8)
    const { id } = await recover(place)
    await Promise.all([
      ...Array.from({ length: 4 }, () =>
        advanceRecoveries(database, { stepMax: 1, stepMs: 0, recoveriesMax: 9 }),
      ),
      cancelRecoveries(database.prisma, { id }),
      ...Array.from({ length: 4 }, () =>
        advanceRecoveries(database, { stepMax: 1, stepMs: 0, recoveriesMax: 9 }),
      ),
    ])
    const [status, done] = (await show(place, id))!
    expect(status).toBe('cancelled')
    expect(await advanceRecoveries(database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })).toBe(0)
    expect(await redelivered(place)).toHaveLength(done as number)
  })
})

describe('findRecovery', () => {
  test('finds it only by its organization and endpoint', async () => {
    const [place, other] = [await makeDead(1), await makeDead(1)]
    const { id } = await recover(place)
    expect(await show(place, id)).toEqual(['running', 0, 1])
    expect(await show({ ...place, tenantId: other.tenantId }, id)).toBeNull()
    expect(await show({ ...place, endpointId: other.endpointId }, id)).toBeNull()
  })
})

test('dropOldRecoveries forgets those that ended and were asked for over 30 days ago, no other', async () => {
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
