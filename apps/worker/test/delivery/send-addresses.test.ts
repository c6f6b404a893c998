import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import diagnostics from 'node:diagnostics_channel'
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import tls from 'node:tls'
import {
  openBlackHole,
  type BlackHole,
  type BlackHoleOptions,
} from '../../../../test/support/black-hole.ts'
import { makeCertificates } from '../../../../test/support/certificates.ts'
import { closedPort, deliveryTo, failure, shortMs, success, timed, useSending } from './sending.ts'

/** The sockets that this process has opened during a test. */
const opened: Socket[] = []
const opening = new EventEmitter()
const onClient = (message: unknown) => {
  opened.push((message as { socket: Socket }).socket)
  opening.emit('socket')
}
beforeAll(() => diagnostics.subscribe('net.client.socket', onClient))
afterAll(() => void diagnostics.unsubscribe('net.client.socket', onClient))
beforeEach(() => void (opened.length = 0))

/**
 * How long a slow line loses packets after the first attempt, in ms. A client repeats its first packet a second after it
 * began.
 */
const lossMs = 600
const name = 'hooks.example.test'
const allowed = ['127.0.0.0/8', '::1']

const sending = useSending()
const timers: NodeJS.Timeout[] = []
afterEach(() => timers.splice(0).forEach(clearTimeout))

const hole = async (options: BlackHoleOptions) => sending.closing(await openBlackHole(options))
// The next address is due before the release, and timers fire in their order, however late.
const releaseAfterFirstAttempt = ({ release }: BlackHole) =>
  opening.once('socket', () => timers.push(setTimeout(release, lossMs)))

describe('an address that takes longer than 250 ms to connect is reached', () => {
  test.each([
    ['IPv4', 'an IPv6 address refuses', '127.0.0.9', '::1'],
    ['IPv6', 'an IPv4 address refuses', '::1', '127.0.0.9'],
  ])('over %s while %s, in either order', async (_family, _what, slow, dead) => {
    const receiver = await sending.receiver()
    const line = await hole({ host: slow, forwardTo: receiver.port })
    const { port } = line
    const senders = [
      sending.sender({ allowed, resolve: [slow, dead] }),
      sending.sender({ allowed, resolve: [dead, slow] }),
    ]
    releaseAfterFirstAttempt(line)
    const outcomes = senders.map((each) => each.send(deliveryTo(`http://${name}:${port}/`)))
    expect(await Promise.all(outcomes)).toEqual([success(204), success(204)])
    expect(receiver.requests).toHaveLength(2)
  })

  test('while the other address stays silent', async () => {
    const receiver = await sending.receiver()
    const line = await hole({ host: '127.0.0.9', forwardTo: receiver.port })
    const { port } = line
    await hole({ host: '::1', port })
    opened.length = 0
    releaseAfterFirstAttempt(line)
    const sender = sending.sender({ allowed, resolve: ['127.0.0.9', '::1'] })
    expect(await sender.send(deliveryTo(`http://${name}:${port}/`))).toEqual(success(204))
    expect(opened.map(({ connecting }) => connecting)).toEqual([false, false])
  })
})

test('a silent first address costs 250 ms, and its socket is destroyed', async () => {
  const receiver = await sending.receiver()
  await hole({ host: '127.0.0.2', port: receiver.port })
  opened.length = 0
  const sender = sending.sender({ resolve: ['127.0.0.2', '127.0.0.1'] })
  const delivery = deliveryTo(`http://${name}:${receiver.port}/`)
  const { result, ms } = await timed(() => sender.send(delivery))
  expect(result).toEqual(success(204))
  expect(ms).toBeGreaterThanOrEqual(245)
  expect(opened.map(({ destroyed }) => destroyed)).toEqual([true, false])
  // The connection is pooled under the name.
  expect(await sender.send(delivery)).toEqual(success(204))
  expect(receiver.connections).toBe(1)
})

test('a name whose addresses are silent is connect_timeout at the deadline, and no socket is left', async () => {
  const { port } = await hole({ host: '127.0.0.2' })
  await hole({ host: '127.0.0.3', port })
  opened.length = 0
  const sender = sending.sender({ timeoutMs: shortMs, resolve: ['127.0.0.2', '127.0.0.3'] })
  const sent = await timed(() => sender.send(deliveryTo(`http://${name}:${port}/`)))
  expect(sent.result).toEqual(failure('connect_timeout'))
  expect(sent.ms).toBeGreaterThanOrEqual(shortMs - 5)
  expect(opened.map(({ destroyed }) => destroyed)).toEqual([true, true])
})

test('a name that one address refuses and that another does not answer is connect_timeout', async () => {
  const { port } = await hole({ host: '127.0.0.2' })
  const sender = sending.sender({ timeoutMs: shortMs, resolve: ['127.0.0.3', '127.0.0.2'] })
  expect(await sender.send(deliveryTo(`http://${name}:${port}/`))).toEqual(
    failure('connect_timeout'),
  )
})

test('a name that all of 40 addresses refuse is connection_refused at once', async () => {
  const resolve = Array.from({ length: 40 }, (_, index) => `127.0.1.${index}`)
  const sender = sending.sender({ resolve })
  const sent = await timed(() => sender.send(deliveryTo(`http://${name}:${closedPort}/`)))
  expect(sent.result).toEqual(failure('connection_refused'))
  expect(sent.ms).toBeLessThan(5_000)
  expect(opened).toHaveLength(40)
})

test('an address that is listed twice is connected to once', async () => {
  const sender = sending.sender({ resolve: ['127.0.0.2', '127.0.0.2', '127.0.0.3'] })
  await sender.send(deliveryTo(`http://${name}:${closedPort}/`))
  expect(opened).toHaveLength(2)
})

test('a name with one refused address among several is not connected to', async () => {
  const receiver = await sending.receiver()
  const sender = sending.sender({ resolve: ['127.0.0.1', '10.0.0.1'] })
  const outcome = await sender.send(deliveryTo(`http://${name}:${receiver.port}/`))
  expect(outcome).toEqual(failure('address_not_public'))
  expect(opened).toHaveLength(0)
})

describe('over TLS', () => {
  test('the first connection is verified for the name, and reused', async () => {
    const trusted = tls.getCACertificates('default')
    const certificates = await makeCertificates({ names: [name] })
    tls.setDefaultCACertificates([...trusted, certificates.ca])
    const names: (string | false | null)[] = []
    const SNICallback = (asked: string, found: (error: Error | null) => void) => {
      names.push(asked)
      found(null)
    }
    try {
      const receiver = await sending.receiver({ tls: { ...certificates, SNICallback } })
      const sender = sending.sender({ resolve: ['127.0.0.2', '127.0.0.1'] })
      const to = (host: string) => sender.send(deliveryTo(`https://${host}:${receiver.port}/`))
      expect(await to(name)).toEqual(success(204))
      expect(await to(name)).toEqual(success(204))
      expect(receiver.connections).toBe(1)
      expect(await to('other.example.test')).toEqual({
        ...failure('tls_error'),
        reason: 'the certificate is for another host name',
      })
      expect(names).toEqual([name, 'other.example.test'])
    } finally {
      tls.setDefaultCACertificates(trusted)
    }
  })

  test('a handshake that never ends is a timeout, not connect_timeout', async () => {
    const receiver = await sending.rawReceiver(() => undefined)
    const sender = sending.sender({ timeoutMs: shortMs, resolve: ['127.0.0.2', '127.0.0.1'] })
    const outcome = await sender.send(deliveryTo(`https://${name}:${receiver.port}/`))
    expect(outcome).toEqual(failure('timeout'))
  })
})
