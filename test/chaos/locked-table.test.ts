import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { setTimeout } from 'node:timers/promises'
import { readiness } from '../support/observe.ts'
import { until } from '../support/until.ts'
import { startCountedSystem, type CountedSystem } from './support/counted-system.ts'
import { startServers, type FaultServers } from '../faults/system/servers.ts'
import { holdLocks } from '../faults/system/sessions.ts'

/** What CREATE INDEX takes. Nothing can be recorded, while events are accepted and attempts are claimed. */
const statement = 'LOCK TABLE attempt_stats IN SHARE MODE'
/** Several leases of 15 s. */
const lockedMs = 100_000
const publishes = 30

let servers: FaultServers
let system: CountedSystem
beforeAll(async () => {
  servers = await startServers()
  system = await startCountedSystem(servers)
})
afterAll(async () => {
  await system.stop()
  await servers.stop()
})

const arePut = (count: number) => (records: Readonly<Record<string, number>>) =>
  records['succeeded 1'] === count

test('while a table of the records is locked for 100 s, no delivery is sent more than twice, and all are recorded afterwards', async () => {
  await system.publish()
  await until(system.countRecords, arePut(system.acceptedDeliveries))
  const locked = holdLocks(servers.databaseUrl, { statement, forMs: lockedMs })
  for (let sent = 0; sent < publishes; sent++) {
    expect(await system.publish()).toMatchObject({ status: 202 })
    await setTimeout(sent < publishes / 2 ? 20 : lockedMs / publishes)
  }
  const reports = await Promise.all(system.workers.map(readiness))
  expect(reports.map(({ checks }) => checks['records'])).toContain('unavailable')
  await locked
  const { acceptedDeliveries } = system
  expect(acceptedDeliveries).toBe(3 * (publishes + 1))
  // One recorded attempt each: what was sent is what is recorded.
  await until(system.countRecords, arePut(acceptedDeliveries))
  expect(system.requests.size).toBe(acceptedDeliveries)
  expect(Math.max(...system.requests.values())).toBeLessThanOrEqual(2)
  for (const worker of system.workers) {
    await until(
      () => readiness(worker),
      ({ status }) => status === 200,
    )
  }
})
