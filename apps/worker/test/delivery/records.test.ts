import { createLogger } from '@hosting/process'
import { afterEach, describe, expect, test } from '@jest/globals'
import { useDatabase } from '../../../../packages/postgres/test/support/database.ts'
import {
  buildFinished,
  claim,
  findPending,
  findRecord,
  makeSubscriber,
  publish,
} from '../../../../packages/postgres/test/support/fixtures.ts'
import { testConfig } from '../../../../test/support/environment.ts'
import { until } from '../../../../test/support/until.ts'
import { createRecords, type Records } from '../../src/delivery/records.ts'
import { closeServices, openServices } from '../../src/services.ts'

const database = useDatabase({ partitions: true })
const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close()
})

async function openRecords() {
  const config = testConfig({ DATABASE_URL: database.url, WEBHOOK_TIMEOUT_SECONDS: '0.2' })
  const services = await openServices(config, createLogger('worker', 'silent'))
  opened.push({ close: () => closeServices(services) })
  return { records: createRecords(services), metrics: services.metrics }
}

/** Deliveries of one endpoint whose attempts were made, ready to be recorded. */
async function makeFinished(count: number) {
  const { tenantId, endpointId } = await makeSubscriber(database)
  const ids = await publish(database, tenantId, { count })
  const finished = []
  for (const deliveryId of ids) {
    const leaseId = (await claim(database, deliveryId))!
    finished.push(buildFinished({ deliveryId, leaseId, leaseEndsMs: performance.now() + 5_000 }))
  }
  return { endpointId, ids, finished }
}

const recordAll = (
  records: Records,
  finished: Awaited<ReturnType<typeof makeFinished>>['finished'],
) => Promise.all(finished.map((each) => records.record(each)))

const outcomesOf = (ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await findRecord(database, id)).outcome))

/** Lets PostgreSQL refuse the attempts that meet a condition, until the returned function is called. */
async function refuseAttempts(condition: string, code = '53100'): Promise<() => Promise<void>> {
  await database.pool.query(`
    CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '${code}'; END $$;
    CREATE OR REPLACE TRIGGER refuse BEFORE INSERT ON attempt_batches
      FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION refuse()`)
  return async () => {
    // Dropping the trigger would lock the table, and could deadlock with the attempts that are being recorded.
    await database.pool.query(
      `CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'`,
    )
  }
}

const untilUnable = (records: Records) =>
  until(
    () => Promise.resolve(records.canRecord()),
    (can) => !can,
  )

describe('an attempt that cannot be recorded', () => {
  // A full disk, a read-only database, a defect.
  test.each(['53100', '25006', 'XX000'])(
    'is kept and recorded later, after SQLSTATE %s',
    async (code) => {
      const { records } = await openRecords()
      const { ids, finished } = await makeFinished(3)
      const accept = await refuseAttempts('true', code)
      const changes: boolean[] = []
      records.onChange(() => changes.push(records.canRecord()))
      const recorded = recordAll(records, finished)
      await untilUnable(records)
      expect(await outcomesOf(ids)).toEqual([null, null, null])
      await accept()
      expect(await recorded).toEqual([true, true, true])
      expect(await outcomesOf(ids)).toEqual(ids.map(() => 'succeeded'))
      await until(
        () => Promise.resolve(records.canRecord()),
        (can) => can,
      )
      expect(changes).toEqual([false, true])
    },
  )

  test('keeps its lease, also if the relay has released it', async () => {
    const { records } = await openRecords()
    const { ids, finished } = await makeFinished(1)
    const accept = await refuseAttempts('true')
    const recorded = recordAll(records, finished)
    await untilUnable(records)
    await database.pool.query(
      'UPDATE pending_deliveries SET lease_id = NULL, held_until = now() WHERE delivery_id = $1',
      [ids[0]],
    )
    const { leaseId } = finished[0]!
    await until(
      () => findPending(database, ids[0]!),
      (row) => row!.lease_id === leaseId && row!.held_for_ms > 0,
    )
    expect(await claim(database, ids[0]!)).toBeUndefined()
    await accept()
    expect(await recorded).toEqual([true])
  })

  test('affects no other: those of its batch are recorded, and the worker can record', async () => {
    const { records } = await openRecords()
    const [bad, good] = [await makeFinished(1), await makeFinished(4)]
    const accept = await refuseAttempts(`'${bad.endpointId}' = ANY (NEW.endpoint_ids)`)
    const recordedBad = recordAll(records, bad.finished)
    expect(await recordAll(records, good.finished)).toEqual([true, true, true, true])
    expect(await outcomesOf([...bad.ids, ...good.ids])).toEqual([
      null,
      ...good.ids.map(() => 'succeeded'),
    ])
    expect(records.canRecord()).toBe(true)
    await accept()
    expect(await recordedBad).toEqual([true])
  })

  test('does not affect the successes that another statement of its batch recorded', async () => {
    const { records } = await openRecords()
    const [bad, good] = [await makeFinished(1), await makeFinished(2)]
    const accept = await refuseAttempts(`'${bad.endpointId}' = ANY (NEW.endpoint_ids)`)
    const failed = { statusCode: 500, errorClass: 'http_error', retryAfterMs: null } as const
    const outcome = bad.finished.map((each) => ({ ...each, outcome: failed }))
    const recorded = recordAll(records, [...outcome, ...good.finished])
    await until(
      () => outcomesOf(good.ids),
      (outcomes) => outcomes.every((each) => each === 'succeeded'),
    )
    await accept()
    expect(await recorded).toEqual([true, true, true])
    expect(await findRecord(database, good.ids[0]!)).toMatchObject({ attempts: [1] })
  })

  test('is dropped if another process has claimed it', async () => {
    const { records } = await openRecords()
    const { ids, finished } = await makeFinished(1)
    const accept = await refuseAttempts('true')
    const recorded = recordAll(records, finished)
    await untilUnable(records)
    await database.pool.query(
      'UPDATE pending_deliveries SET lease_id = gen_random_uuid() WHERE delivery_id = $1',
      [ids[0]],
    )
    await accept()
    expect(await recorded).toEqual([false])
    expect(await outcomesOf(ids)).toEqual([null])
  })

  test('is counted until it is recorded', async () => {
    const { records, metrics } = await openRecords()
    const { finished } = await makeFinished(2)
    const accept = await refuseAttempts('true')
    const recorded = recordAll(records, finished)
    const read = async () => (await metrics.unrecorded.get()).values[0]!.value
    await until(read, (count) => count === 2)
    await accept()
    await recorded
    expect(await read()).toBe(0)
  })
})
