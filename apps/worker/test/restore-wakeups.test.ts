import { beforeAll, beforeEach, expect, test } from '@jest/globals'
import { useDatabase } from '../../../packages/postgres/test/support/database.ts'
import { makeSubscriber, publish } from '../../../packages/postgres/test/support/fixtures.ts'
import { testConfig } from '../../../test/support/environment.ts'
import { createRestoreWakeups } from '../src/duties/restore-wakeups.ts'
import type { Services } from '../src/services.ts'

/** More than two slices. */
const endpoints = 1_100
const sliceMax = 500

const database = useDatabase({ partitions: true })
beforeAll(async () => {
  const { tenantId } = await makeSubscriber(database)
  await database.pool.query(
    `INSERT INTO webhook_endpoints
     SELECT (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid()))).*
     FROM webhook_endpoints e, generate_series(2, $1)`,
    [endpoints],
  )
  await publish(database, tenantId)
})
beforeEach(async () => {
  await database.pool.query('DELETE FROM endpoint_wakeups')
})

const countWakeups = async (): Promise<number> => {
  const { rows } = await database.pool.query<{ count: number }>(
    'SELECT count(DISTINCT endpoint_id)::int AS count FROM endpoint_wakeups',
  )
  return rows[0]!.count
}

/** Services that call back after each slice of the walk, which logs what it restored. */
const servicesWith = (onSlice: () => void): Services =>
  ({ database, config: testConfig(), log: { info: onSlice } }) as unknown as Services

test('the first walk restores the wake-ups of all endpoints in one round', async () => {
  let slices = 0
  const services = servicesWith(() => (slices += 1))
  await createRestoreWakeups().run(services, new AbortController().signal)
  expect(slices).toBe(3)
  expect(await countWakeups()).toBe(endpoints)
})

test('the first walk ends after a slice when the worker stops, and the next round continues it', async () => {
  const stopping = new AbortController()
  const duty = createRestoreWakeups()
  await duty.run(
    servicesWith(() => stopping.abort()),
    stopping.signal,
  )
  expect(await countWakeups()).toBe(sliceMax)
  await duty.run(
    servicesWith(() => undefined),
    new AbortController().signal,
  )
  expect(await countWakeups()).toBe(endpoints)
})
