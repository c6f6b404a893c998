import { signingSecretContext } from '@hosting/core/webhooks'
import { makePartitions } from '@hosting/postgres/database'
import { createLogger } from '@hosting/process'
import { startWorker, type RunningWorker } from '@hosting/worker'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useDatabase } from '../../../packages/postgres/test/support/database.ts'
import { makeSubscriber, publish } from '../../../packages/postgres/test/support/fixtures.ts'
import { testConfig } from '../../../test/support/environment.ts'
import { expectGuarded } from '../../../test/support/guarded.ts'
import { makeOwnStack, type OwnStack } from '../../../test/support/own-stack.ts'
import { until } from '../../../test/support/stack.ts'
import { createDuties } from '../src/duties/index.ts'
import { testStore } from './support/attempts.ts'

let stack: OwnStack
let worker: RunningWorker
// Before the database is removed: the worker keeps what it made until it is recorded.
afterAll(async () => {
  await worker.close()
  await stack.remove()
})
const database = useDatabase()
beforeAll(async () => {
  await makePartitions(database)
  stack = await makeOwnStack()
  const config = testConfig({
    DATABASE_URL: database.url,
    REDIS_URL: stack.redisUrl,
    WEBHOOK_TIMEOUT_SECONDS: '0.1',
    WEBHOOK_ENDPOINT_CONCURRENCY: '100',
    WORKER_CONCURRENCY: '1',
  })
  worker = await startWorker(config, createLogger('worker', 'silent'), { marginMs: 400 })
})
/** Replaces the secret of an endpoint by one that the keyring of the tests opens. */
async function encryptSecret(endpointId: string): Promise<void> {
  const id = randomUUID()
  const encrypted = testStore.encrypt('whsec_test', signingSecretContext(id))
  await database.prisma.webhookSecret.updateMany({ where: { endpointId }, data: { id, encrypted } })
}

async function readiness() {
  const response = await fetch(`http://127.0.0.1:${worker.internalPort}/readyz`)
  const { checks } = (await response.json()) as { checks: Record<string, string> }
  return { status: response.status, checks }
}

const ready = {
  database: 'ok',
  database_writable: 'ok',
  redis: 'ok',
  clock: 'ok',
  secrets: 'ok',
  records: 'ok',
  consumer: 'ok',
  slow_consumer: 'ok',
  ...Object.fromEntries(
    createDuties({ isMailing: false }).map(({ name }) => [
      `duty_${name.replaceAll('-', '_')}`,
      'ok',
    ]),
  ),
}
/**
 * The second job waits from the third sweep on. A sweep that takes long is followed by a pause of
 * two seconds.
 */
const waitMs = 30_000
const untilStatus = (status: number) =>
  until(readiness, (response) => response.status === status, waitMs)

test('a worker with a stuck consumer is not ready, and names it, until it takes jobs again', async () => {
  expect((await untilStatus(200)).checks).toMatchObject(ready)
  const { tenantId, endpointId } = await makeSubscriber(database)
  await encryptSecret(endpointId)
  await database.pool.query(
    `UPDATE webhook_endpoint_schedules SET slow_until = now() + interval '1 hour' WHERE endpoint_id = $1`,
    [endpointId],
  )
  const client = await database.pool.connect()
  try {
    // Every claim waits until it is given up, so the job in the only slot of the slow lane ends
    // late, and the next one takes the slot. There are enough jobs for the whole wait.
    await client.query('BEGIN')
    await client.query('LOCK TABLE webhook_secrets IN ACCESS EXCLUSIVE MODE')
    await publish(database, tenantId, { count: 20 })
    expect((await untilStatus(503)).checks).toMatchObject({
      ...ready,
      slow_consumer: 'unavailable',
    })
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
  expect((await untilStatus(200)).checks).toMatchObject(ready)
}, 100_000)

test.each(['/readyz', '/healthz', '/metrics', '/nothing'])(
  '%s has the security headers, and is not cached',
  async (path) => {
    const { headers } = await fetch(`http://127.0.0.1:${worker.internalPort}${path}`)
    expectGuarded(Object.fromEntries(headers))
    expect(headers.get('cache-control')).toBe('no-store')
  },
)
