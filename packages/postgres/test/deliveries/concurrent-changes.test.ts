import { makePartitions, type Database } from '@hosting/postgres/database'
import { abandonDeliveries, finishAttempts } from '@hosting/postgres/deliveries'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { describeOnEachPostgres } from '../support/each-postgres.ts'
import { storeDelivery } from '../../../../test/support/stored-deliveries.ts'
import { until } from '../../../../test/support/until.ts'
import {
  buildFinished,
  claim,
  findPending,
  findRecord,
  makeHealthy,
  makeSubscriber,
  publish,
  removeEndpoint,
} from '../support/fixtures.ts'

/** Enough rows that the planner looks deliveries up by their ids, as in a system that is in use. */
async function fillDay({ pool }: Database): Promise<void> {
  await pool.query(
    `INSERT INTO deliveries (id, tenant_id, endpoint_id, event_ref, event_id, event_type, event_created_at, outcome,
       completed_at)
     SELECT uuid_v7(), uuid_v7(), uuid_v7(), uuid_v7(), uuid_v7(), 'site.created', now(), 'succeeded', now()
     FROM generate_series(1, 5000)`,
  )
  await pool.query('ANALYZE deliveries')
}

/**
 * If a row changes while a statement waits for it, PostgreSQL evaluates parts of the statement again. In
 * PostgreSQL 18, a statement that also accesses a partitioned table can miss all rows of that table from then on.
 */
describeOnEachPostgres((database) => {
  beforeAll(async () => {
    await makePartitions(database)
    await fillDay(database)
  })

  /** Deliveries whose attempts are in progress. */
  async function makeClaimed(count: number, make = makeHealthy) {
    const subscriber = await make(database)
    const deliveries: { deliveryId: string; leaseId: string }[] = []
    for (const deliveryId of await publish(database, subscriber.tenantId, { count })) {
      deliveries.push({ deliveryId, leaseId: (await claim(database, deliveryId))! })
    }
    return { ...subscriber, deliveries }
  }

  /** Runs a statement in an open transaction, and commits it once the work waits for its lock. */
  async function whileChanging<Result>(
    change: string,
    values: readonly unknown[],
    work: () => Promise<Result>,
  ): Promise<Result> {
    const client = await database.pool.connect()
    try {
      await client.query('BEGIN')
      const { rowCount } = await client.query(change, [...values])
      expect(rowCount).toBe(1)
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      const result = work()
      const countWaiting = () =>
        database.pool.query(
          'SELECT 1 FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))',
          [rows[0]!.pid],
        )
      await until(countWaiting, ({ rowCount: waiting }) => waiting === 1)
      await client.query('COMMIT')
      return await result
    } finally {
      client.release()
    }
  }

  const outcomesOf = (ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => (await findRecord(database, id)).outcome))

  describe('recording attempts', () => {
    test.each([
      ['succeeded', 'of a healthy endpoint', makeHealthy],
      ['succeeded', 'of a new endpoint', makeSubscriber],
      ['dead', 'of a healthy endpoint', makeHealthy],
    ] as const)(
      'ends every delivery as %s, %s, if a row of the queue changes concurrently',
      async (status, _, make) => {
        const { deliveries } = await makeClaimed(5, make)
        const ids = deliveries.map(({ deliveryId }) => deliveryId)
        const recorded = await whileChanging(
          'UPDATE pending_deliveries SET held_until = held_until WHERE delivery_id = $1',
          [ids[2]],
          () =>
            finishAttempts(
              database,
              deliveries.map((names) => buildFinished({ ...names, nextStep: { status } })),
            ),
        )
        expect([...recorded].toSorted()).toEqual(ids)
        expect(await outcomesOf(ids)).toEqual(ids.map(() => status))
      },
    )

    test('ends the other deliveries if another process takes one over concurrently', async () => {
      const { deliveries } = await makeClaimed(5)
      const ids = deliveries.map(({ deliveryId }) => deliveryId)
      const recorded = await whileChanging(
        'UPDATE pending_deliveries SET lease_id = $2 WHERE delivery_id = $1',
        [ids[2], randomUUID()],
        () =>
          finishAttempts(
            database,
            deliveries.map((names) => buildFinished(names)),
          ),
      )
      expect([...recorded].toSorted()).toEqual(ids.filter((id) => id !== ids[2]))
      const expected = ids.map((id) => (id === ids[2] ? null : 'succeeded'))
      expect(await outcomesOf(ids)).toEqual(expected)
    })

    test('changes nothing if one of the deliveries cannot be stored', async () => {
      const { tenantId, endpointId, deliveries } = await makeClaimed(3)
      const [first, { deliveryId: id }] = [deliveries[0]!, deliveries[1]!]
      await storeDelivery(database, { id, tenantId, endpointId, eventRef: id })
      const finished = deliveries.map((names) => buildFinished(names))
      await expect(finishAttempts(database, finished)).rejects.toThrow('duplicate key')
      for (const { deliveryId, leaseId } of deliveries) {
        expect(await findPending(database, deliveryId)).toMatchObject({ lease_id: leaseId })
      }
      expect(await findRecord(database, first.deliveryId)).toMatchObject({
        outcome: null,
        attempts: [],
      })
    })

    test('ends a delivery whose event was lost', async () => {
      const { deliveries } = await makeClaimed(2)
      const ids = deliveries.map(({ deliveryId }) => deliveryId)
      await database.pool.query(
        'DELETE FROM events WHERE id = (SELECT event_ref FROM pending_deliveries WHERE delivery_id = $1)',
        [ids[0]],
      )
      const finished = deliveries.map((names) => buildFinished(names))
      expect(await finishAttempts(database, finished)).toEqual(new Set(ids))
      expect(await outcomesOf(ids)).toEqual(['succeeded', 'succeeded'])
    })
  })

  test('deleting an endpoint ends every delivery if a row of the queue changes concurrently', async () => {
    // The statement locks and deletes one row after the other. It waits after the first one.
    await database.pool.query(
      `CREATE FUNCTION wait_to_delete() RETURNS trigger LANGUAGE plpgsql AS
         'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN OLD; END';
       CREATE TRIGGER wait_to_delete BEFORE DELETE ON pending_deliveries
         FOR EACH ROW EXECUTE FUNCTION wait_to_delete()`,
    )
    const { tenantId, endpointId } = await makeSubscriber(database)
    const ids = await publish(database, tenantId, { count: 5 })
    await removeEndpoint(database, endpointId)
    const ended = await whileChanging(
      `WITH changed AS (
         UPDATE pending_deliveries SET held_until = held_until WHERE delivery_id = $1 RETURNING 1
       )
       SELECT pg_advisory_xact_lock(1) FROM changed`,
      [ids[2]],
      () => abandonDeliveries(database),
    )
    expect(ended).toBe(5)
    expect(await outcomesOf(ids)).toEqual(ids.map(() => 'dead'))
  })
})
