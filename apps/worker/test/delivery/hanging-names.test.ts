import { createAddressPolicy, parseNetwork } from '@hosting/core/network'
import { expect, test } from '@jest/globals'
import { pbkdf2 } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { promisify } from 'node:util'
import { startNameServer, type DnsResponse } from '../../../../test/support/name-server.ts'
import { until } from '../../../../test/support/until.ts'
import { ConnectionError, createLookup, createResolver } from '@hosting/process'
import { createSender } from '../../src/delivery/send.ts'
import { deliveryTo, failure, success, useSending } from './sending.ts'

const sending = useSending()

const hangingTenants = 30
const hangingNames = 8 * hangingTenants
const innocentDeliveries = 26

test("a tenant's names whose lookups hang occupy no thread and fail no delivery of another tenant", async () => {
  const receiver = await sending.receiver()
  const hanging = Promise.withResolvers<DnsResponse>()
  const server = sending.closing(
    await startNameServer((name) =>
      name.endsWith('.dead.test') ? hanging.promise : { v4: '127.0.0.1' },
    ),
  )
  const { resolve, figures } = createResolver({
    lookUp: createLookup({
      nameServers: [server.address],
      systemLookup: () => Promise.reject(new ConnectionError('dns_error', 'not known')),
      timeoutMs: 60_000,
    }),
  })
  const policy = createAddressPolicy({ own: [], allowed: [parseNetwork('127.0.0.0/8')] })
  const sender = sending.closing(createSender(policy, { timeoutMs: 30_000, resolve }))
  const sendTo = (name: string, tenantId: string) =>
    sender.send(deliveryTo(`http://${name}:${receiver.port}/`, { tenantId }))

  const failing = Promise.all(
    Array.from({ length: hangingNames }, (_, index) =>
      sendTo(`${index}.dead.test`, `hanging-${index % hangingTenants}`),
    ),
  )
  await until(
    () => Promise.resolve(figures().running),
    (running) => running === hangingNames,
  )
  // Each delivery has its own name, so it needs its own lookup and connection.
  const outcomes = await Promise.all(
    Array.from({ length: innocentDeliveries }, (_, index) =>
      sendTo(`${index}.alive.test`, 'innocent'),
    ),
  )
  expect(outcomes).toEqual(Array(innocentDeliveries).fill(success(204)))
  // The lookups of the other tenants are still running.
  expect(figures().running).toBe(hangingNames)
  // Both need a thread of libuv's pool, and getaddrinfo one of the few that lookups may use.
  await lookup('localhost')
  await promisify(pbkdf2)('password', 'salt', 1, 32, 'sha256')
  expect(figures().running).toBe(hangingNames)

  hanging.resolve('unknown')
  expect(await failing).toEqual(Array(hangingNames).fill(failure('dns_error')))
  expect(figures()).toMatchObject({ running: 0, waiting: 0 })
})
