import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { rm } from 'node:fs/promises'
import pg from 'pg'
import { ownerOf } from '../../tools/local-stack/system-user.ts'
import { readiness, readMetric } from '../support/observe.ts'
import { until } from '../support/until.ts'
import { startCountedSystem, type CountedSystem } from './support/counted-system.ts'
import { serversDirectory, startServers, type FaultServers } from '../faults/system/servers.ts'
import { mountSmallDisk, type SmallDisk } from './support/small-disk.ts'

/**
 * A lease lasts for 15 s. Everything that is published at once is sent at once. No attempt times out before all are in
 * progress, even on a busy machine.
 */
const settings = {
  WEBHOOK_TIMEOUT_SECONDS: '10',
  WEBHOOK_JOB_HOLD_SECONDS: '2',
  WORKER_CONCURRENCY: '200',
  WEBHOOK_ENDPOINT_CONCURRENCY: '200',
}
const fullLeases = 2.5
const leaseSeconds = 15
/** More records than fit into the pages that the tables have. */
const published = 120
const recoveredMsMax = 10_000

const directory = `${serversDirectory}-full-disk`
let servers: FaultServers
let disk: SmallDisk
let system: CountedSystem
beforeAll(async () => {
  servers = await startServers(directory)
  disk = await moveToSmallDisk(servers)
  system = await startCountedSystem(servers, settings)
})
afterAll(async () => {
  await system.stop()
  await servers.stop()
  await disk.remove()
  await rm(directory, { recursive: true })
})

/** Moves the tables of the database to a file system of their own. The write-ahead log stays. */
async function moveToSmallDisk({ postgres, databaseUrl }: FaultServers): Promise<SmallDisk> {
  const name = new URL(databaseUrl).pathname.slice(1)
  const client = new pg.Client({ connectionString: postgres.url() })
  await client.connect()
  try {
    const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory')
    const mounted = await mountSmallDisk(96, await ownerOf(rows[0]!.data_directory))
    await client.query(`CREATE TABLESPACE small LOCATION '${mounted.path}'`)
    await client.query(`ALTER DATABASE ${name} SET TABLESPACE small`)
    return mounted
  } finally {
    await client.end()
  }
}

const untilReady = (status: number) =>
  Promise.all(
    [system.api, ...system.workers].map((service) =>
      until(
        () => readiness(service),
        (report) => report.status === status,
      ),
    ),
  )

test('while the disk of PostgreSQL is full, publishes get 503 with Retry-After and no delivery is sent more than twice; afterwards all are recorded', async () => {
  await untilReady(200)
  system.hold()
  await Promise.all([system.publish(published / 2), system.publish(published / 2)])
  await until(
    async () => system.requests.size,
    (count) => count === system.acceptedDeliveries,
  )
  await disk.fill()
  system.release()
  await until(
    async () => Math.max(...(await Promise.all(system.workers.map(unrecordedSeconds)))),
    (seconds) => seconds > fullLeases * leaseSeconds,
    120_000,
  )
  const refused = await until(
    () => system.publish(),
    ({ status }) => status !== 202,
  )
  expect(refused).toEqual({ status: 503, retryAfter: expect.stringMatching(/^[1-9]\d*$/) })
  expect((await readiness(system.api)).checks['database_writable']).toBe('unavailable')
  const reports = await Promise.all(system.workers.map(readiness))
  expect(reports.map(({ checks }) => checks['records'])).toContain('unavailable')

  await disk.free()
  await until(
    () => system.publish(),
    ({ status }) => status === 202,
    recoveredMsMax,
  )
  await untilReady(200)
  const { acceptedDeliveries } = system
  await until(system.countRecords, (records) => records['succeeded 1'] === acceptedDeliveries)
  expect(system.requests.size).toBe(acceptedDeliveries)
  expect(Math.max(...system.requests.values())).toBeLessThanOrEqual(2)
})

const unrecordedSeconds = (worker: { readonly internalPort: number }): Promise<number> =>
  readMetric(worker, 'hosting_unrecorded_attempts_age_seconds')
