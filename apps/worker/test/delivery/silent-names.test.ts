import { createAddressPolicy, parseNetwork } from '@hosting/core/network'
import { signingSecretContext } from '@hosting/core/webhooks'
import { ConnectionError, createLogger, createLookup, createResolver } from '@hosting/process'
import { afterEach, expect, test } from '@jest/globals'
import { buildDue } from '../../../../test/support/attempts.ts'
import { useDatabase } from '../../../../packages/postgres/test/support/database.ts'
import {
  makeEndpoint,
  makeTenant,
  publish,
} from '../../../../packages/postgres/test/support/fixtures.ts'
import { testConfig } from '../../../../test/support/environment.ts'
import { startNameServer } from '../../../../test/support/name-server.ts'
import { startReceiver } from '../../../../test/support/receiver.ts'
import { until } from '../../../../test/support/until.ts'
import { startLanes } from '../../src/delivery/lanes.ts'
import { createSender } from '../../src/delivery/send.ts'
import { closeServices, openServices } from '../../src/services.ts'
import { testStore } from '../support/attempts.ts'

const database = useDatabase({ partitions: true })
const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const { close } of opened.splice(0).toReversed()) await close()
})

/** The lanes of a worker with one slot, whose names are resolved by the given name server. */
async function openLanes(nameServer: string) {
  const config = testConfig({ DATABASE_URL: database.url, WORKER_CONCURRENCY: '1' })
  const services = await openServices(config, createLogger('worker', 'silent'))
  const { resolve, figures } = createResolver({
    lookUp: createLookup({ nameServers: [nameServer], timeoutMs: 60_000, systemLookup: notKnown }),
  })
  const policy = createAddressPolicy({ own: [], allowed: [parseNetwork('127.0.0.0/8')] })
  const sender = createSender(policy, { timeoutMs: 60_000, resolve })
  services.sender.close()
  const own = { ...services, sender }
  const lanes = startLanes(own)
  opened.push({
    async close() {
      await lanes.close()
      await closeServices(own)
    },
  })
  return { attempts: services.attempts, figures }
}

const notKnown = () => Promise.reject(new ConnectionError('dns_error', 'not known'))

/** Publishes to a new endpoint. Returns the attempts that need jobs. */
async function publishTo(url: string, count: number) {
  const tenantId = await makeTenant(database)
  const endpointId = await makeEndpoint(database, tenantId, { url })
  const { id } = await database.prisma.webhookSecret.findFirstOrThrow({ where: { endpointId } })
  const encrypted = testStore.encrypt('whsec_secret', signingSecretContext(id))
  await database.prisma.webhookSecret.update({ where: { id }, data: { encrypted } })
  const ids = await publish(database, tenantId, { count, heldForMs: 60_000 })
  return ids.map((deliveryId) => buildDue({ deliveryId, endpointId, tenantId }))
}

test('deliveries arrive while more attempts than a worker can detach wait for a silent name, whose endpoint moves to the slow lane', async () => {
  const receiver = await startReceiver()
  opened.push(receiver)
  const silence = Promise.withResolvers<'unknown'>()
  const nameServer = await startNameServer((name) =>
    name === 'silent.test' ? silence.promise : { v4: '127.0.0.1' },
  )
  opened.push(nameServer)
  const { attempts, figures } = await openLanes(nameServer.address)
  // A worker with one slot detaches at most 10 attempts.
  await attempts.add(await publishTo('http://silent.test/', 20))
  await attempts.add(await publishTo(`http://alive.test:${receiver.port}/`, 5))
  await until(
    () => Promise.resolve(receiver.requests.length),
    (count) => count === 5,
  )
  expect(figures()).toMatchObject({ running: 1 })
  silence.resolve('unknown')
  const { rows } = await until(
    () =>
      database.pool.query<{ url: string }>(
        `SELECT e.url FROM webhook_endpoint_schedules s JOIN webhook_endpoints e ON e.id = s.endpoint_id
         WHERE s.slow_until > now()`,
      ),
    (slow) => slow.rows.length > 0,
  )
  expect(rows).toEqual([{ url: 'http://silent.test/' }])
})
