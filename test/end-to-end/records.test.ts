import { expect, test } from '@jest/globals'
import { readiness, readMetric } from '../support/observe.ts'
import { startReceiver } from '../support/receiver.ts'
import { until, useStack } from '../support/stack.ts'
import { webhookUser } from '../support/webhook-user.ts'

/** A lease lasts for 6 s, and a lost job is noticed after 1 s. */
const stack = useStack({ WEBHOOK_TIMEOUT_SECONDS: '1', WEBHOOK_JOB_HOLD_SECONDS: '1' })
const { subscribe, publish, listDeliveries } = webhookUser(stack)

const failToRecord = () =>
  stack.database.pool.query(`
    CREATE FUNCTION fail_as_full() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER fail_as_full BEFORE INSERT ON attempt_batches
      FOR EACH ROW EXECUTE FUNCTION fail_as_full()`)
/** Dropping the trigger would lock the table, and could deadlock with the attempts that are being recorded. */
const recordAgain = () =>
  stack.database.pool.query(
    `CREATE OR REPLACE FUNCTION fail_as_full() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'`,
  )

test('while attempts cannot be recorded, a worker sends nothing twice, is not ready, and records the attempts even while it drains', async () => {
  const receiver = await startReceiver()
  const tenant = await stack.api.makeTenant()
  const endpoint = await subscribe(tenant, receiver.url)
  const worker = await stack.startWorker()
  await failToRecord()
  await Promise.all(Array.from({ length: 3 }, () => publish(tenant)))
  for (let sent = 0; sent < 3; sent++) await receiver.next()

  await until(
    () => readiness(worker),
    ({ checks }) => checks['records'] === 'unavailable',
  )
  const notReady = await readiness(worker)
  expect(notReady).toMatchObject({ status: 503, checks: { database: 'ok', redis: 'ok' } })
  await publish(tenant)
  // Longer than a lease and the hold of a job.
  await until(
    () => readMetric(worker, 'hosting_unrecorded_attempts_age_seconds'),
    (seconds) => seconds > 8,
  )
  expect(await readMetric(worker, 'hosting_unrecorded_attempts')).toBe(3)
  const waiting = await listDeliveries(endpoint)
  expect(waiting.map(({ status }) => status).toSorted()).toEqual([
    'in_flight',
    'in_flight',
    'in_flight',
    'queued',
  ])

  const ended = worker.stop()
  await until(
    async () => worker.lines.some((line) => line.includes('"draining"')),
    (isDraining) => isDraining,
  )
  await recordAgain()
  expect(await ended).toBe(0)
  expect(receiver.requests).toHaveLength(3)
  const recorded = await listDeliveries(endpoint)
  expect(recorded.map(({ status }) => status).toSorted()).toEqual([
    'queued',
    'succeeded',
    'succeeded',
    'succeeded',
  ])

  const next = await stack.startWorker()
  await until(
    () => listDeliveries(endpoint),
    (deliveries) => deliveries.every(({ status }) => status === 'succeeded'),
  )
  expect(receiver.requests).toHaveLength(4)
  expect(await next.stop()).toBe(0)
  await receiver.close()
}, 90_000)

test('a worker resumes by itself when attempts can be recorded again', async () => {
  const receiver = await startReceiver()
  const tenant = await stack.api.makeTenant()
  const endpoint = await subscribe(tenant, receiver.url)
  const worker = await stack.startWorker()
  const locker = await stack.database.pool.connect()
  await locker.query('BEGIN; LOCK TABLE attempt_batches IN SHARE MODE')
  await publish(tenant)
  await receiver.next()
  await until(
    () => readiness(worker),
    ({ checks }) => checks['records'] === 'unavailable',
  )
  await publish(tenant)
  await locker.query('COMMIT')
  locker.release()
  await until(
    () => listDeliveries(endpoint),
    (deliveries) =>
      deliveries.length === 2 && deliveries.every(({ status }) => status === 'succeeded'),
  )
  expect(receiver.requests).toHaveLength(2)
  await until(
    () => readiness(worker),
    ({ status }) => status === 200,
  )
  await worker.stop()
  await receiver.close()
})
