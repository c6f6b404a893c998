import { beforeAll, expect, test } from '@jest/globals'
import { openDatabase } from '@hosting/postgres/database'
import { root } from '../../tools/run.ts'
import { connect, type TestApi, type TestTenant } from '../support/api.ts'
import { makeOwnStack, type OwnStack } from '../support/own-stack.ts'
import { startService, type ServiceProcess } from '../support/processes.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/stack.ts'
import { webhookUser } from '../support/webhook-user.ts'
import { buildPreviousRelease } from './previous-release.ts'
import { openTimes } from './times.ts'

type Release = 'this' | 'previous'

const checkouts: Record<Release, string> = { this: root, previous: '' }
beforeAll(() => {
  checkouts.previous = buildPreviousRelease()
}, 180_000)

/**
 * Each publisher waits for the deliveries of its event before it publishes the next one. So no backlog can delay a
 * delivery, however slow the machine is. There are more publishers than an endpoint has slots, so that the relay
 * adds jobs too.
 */
const publisherCount = 16
const eventsPerPublisher = 20
const endpointCount = 3
/** One delivery in this number gets HTTP 500 for its first attempt. */
const failEvery = 10
const retryDelayMs = 2_000
/** Shorter than the hold of a job, 15 s: a delivery whose job is lost is late (packages/redis/README.md#shared-jobs). */
const latestMsMax = 12_000

test.each<{ api: Release; workers: readonly Release[] }>([
  { api: 'this', workers: ['previous', 'this'] },
  { api: 'previous', workers: ['previous', 'this'] },
  { api: 'previous', workers: ['this', 'this'] },
  { api: 'this', workers: ['previous', 'previous'] },
])(
  'the API of $api release and workers of $workers releases lose, repeat or delay no delivery',
  async ({ api, workers }) => {
    const system = await startSystem(api, workers)
    const times = openTimes({ endpointCount, failEvery })
    const receiver = await startReceiver({ respond: times.respond })
    try {
      const tenant = await system.api.makeTenant()
      const user = webhookUser(system)
      for (let number = 0; number < endpointCount; number++) {
        await user.subscribe(tenant, receiver.url, ['site.created'])
      }
      await publishFrom(publisherCount, async () => {
        const eventId = await user.publish(tenant)
        times.accepted(eventId)
        await times.arrived(eventId)
      })
      const outcomes = await until(
        () => countOutcomes(system.api, tenant),
        ({ pending }) => pending === 0,
        90_000,
      )
      const deliveries = publisherCount * eventsPerPublisher * endpointCount
      expect(outcomes).toEqual({ pending: 0, succeeded: deliveries })
      const { acknowledged, repeated, early, latestMs, latestRetryMs } = times.read(retryDelayMs)
      expect({ acknowledged, repeated, early }).toEqual({
        acknowledged: deliveries,
        repeated: [],
        early: [],
      })
      // The causes of a late delivery, if the processes know them.
      if (latestMs >= latestMsMax) process.stdout.write(`${system.listWarnings().join('\n')}\n`)
      expect(latestMs).toBeLessThan(latestMsMax)
      expect(latestRetryMs).toBeLessThan(retryDelayMs * 1.1 + latestMsMax)
    } finally {
      await receiver.close()
      await system.stop()
    }
  },
)

async function startSystem(api: Release, workers: readonly Release[]) {
  const stack = await makeOwnStack({
    WEBHOOK_RETRY_DELAYS_SECONDS: `${retryDelayMs / 1_000},5,5,5,5,5`,
  })
  const start = (name: 'api' | 'worker', release: Release): Promise<ServiceProcess> =>
    startService(name, stack.environment, checkouts[release])
  const services = await Promise.all([
    start('api', api),
    ...workers.map((release) => start('worker', release)),
  ])
  const database = openDatabase(stack.databaseUrl, { onError: () => undefined })
  return {
    api: connect(database, services[0]),
    listWarnings: () =>
      services.flatMap(({ lines }) => lines.filter((line) => /"level":[456]0/.test(line))),
    stop: () => stop(stack, services, database),
  }
}

async function stop(
  stack: OwnStack,
  services: readonly ServiceProcess[],
  database: { close(): Promise<void> },
): Promise<void> {
  const codes = await Promise.all(services.map((service) => service.stop()))
  await database.close()
  await stack.remove()
  expect(codes).toEqual(services.map(() => 0))
}

/** Each publisher publishes one event after another. */
const publishFrom = (publishers: number, publish: () => Promise<void>): Promise<unknown> =>
  Promise.all(
    Array.from({ length: publishers }, async () => {
      for (let number = 0; number < eventsPerPublisher; number++) await publish()
    }),
  )

async function countOutcomes({ database }: TestApi, tenant: TestTenant) {
  const { rows } = await database.pool.query<{ pending: number; succeeded: number }>(
    `SELECT (SELECT count(*)::int FROM pending_deliveries WHERE tenant_id = $1) AS pending,
            (SELECT count(*)::int FROM deliveries WHERE tenant_id = $1 AND outcome = 'succeeded') AS succeeded`,
    [tenant.id],
  )
  return rows[0]!
}
