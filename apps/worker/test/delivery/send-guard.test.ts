import { describe, expect, test } from '@jest/globals'
import { deliveryTo, failure, resolvingTo, success, useSending } from './sending.ts'

const sending = useSending()
const refused = failure('address_not_public')

/** Long enough that only an immediate outcome passes. */
const timeoutMs = 10_000

describe('a name', () => {
  test.each([
    ['loopback', ['127.0.0.1']],
    ['a mapped loopback', ['::ffff:127.0.0.1']],
    ['an IPv4-compatible address', ['::127.0.0.1']],
    ['loopback of IPv6', ['::1']],
    ['a private address', ['10.0.0.1']],
    ['the metadata service', ['169.254.169.254']],
    ['a unique local address', ['fd00::1']],
    ['NAT64 of loopback', ['64:ff9b::7f00:1']],
    ['a public address and loopback', ['203.0.114.7', '127.0.0.1']],
    ['loopback and a public address', ['127.0.0.1', '203.0.114.7']],
    ['many public addresses and one that is not', [...Array(9).fill('203.0.114.7'), '0.0.0.0']],
  ])('that resolves to %s is not connected to', async (_what, resolve: string[]) => {
    const receiver = await sending.receiver()
    const sender = sending.sender({ allowed: [], resolve, timeoutMs })
    const delivery = deliveryTo(`https://hooks.example.test:${receiver.port}/`)
    expect(await sender.send(delivery)).toEqual(refused)
    expect(receiver.connections).toBe(0)
  })

  test('with one allowed and one refused address is not connected', async () => {
    const receiver = await sending.receiver()
    for (const resolve of [
      ['127.0.0.1', '10.0.0.1'],
      ['10.0.0.1', '127.0.0.1'],
    ]) {
      const sender = sending.sender({ allowed: ['127.0.0.1'], resolve, timeoutMs })
      const url = `http://hooks.example.test:${receiver.port}/`
      expect(await sender.send(deliveryTo(url))).toEqual(refused)
    }
    expect(receiver.connections).toBe(0)
  })

  test('is checked again for each connection', async () => {
    const receiver = await sending.receiver({
      respond: () => ({ status: 204, headers: { connection: 'close' } }),
    })
    const addresses = [['127.0.0.1'], ['10.0.0.1']]
    const sender = sending.sender({
      timeoutMs,
      resolve: (host, tenantId) => resolvingTo(...addresses.shift()!)(host, tenantId),
    })
    const delivery = deliveryTo(`http://hooks.example.test:${receiver.port}/`)
    expect(await sender.send(delivery)).toEqual(success(204))
    expect(await sender.send(delivery)).toEqual(refused)
    expect(receiver.connections).toBe(1)
  })
})

describe('an address in the URL', () => {
  const disguises = [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '１２７.0.0.1',
    '%31%32%37.0.0.1',
    '127.0.0.1.',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
  ]

  test.each(disguises)('%s is not connected', async (host) => {
    const receiver = await sending.receiver()
    const sender = sending.sender({ allowed: [], timeoutMs })
    for (const scheme of ['http', 'https']) {
      const url = `${scheme}://${host}:${receiver.port}/`
      expect(await sender.send(deliveryTo(url))).toEqual(refused)
    }
    expect(receiver.connections).toBe(0)
  })

  test.each(disguises)('%s is connected if it is allowed', async (host) => {
    const receiver = await sending.receiver()
    const sender = sending.sender({ allowed: ['127.0.0.1'] })
    const url = `http://${host}:${receiver.port}/`
    expect(await sender.send(deliveryTo(url))).toEqual(success(204))
  })

  test.each(['[::1]', '[::]', '0.0.0.0', '10.0.0.1', '169.254.169.254', '[fd00::1]', '[::7f00:1]'])(
    '%s is refused at once',
    async (host) => {
      const sender = sending.sender({ timeoutMs })
      expect(await sender.send(deliveryTo(`https://${host}:8443/`))).toEqual(refused)
      expect(await sender.send(deliveryTo(`http://${host}:8080/`))).toEqual(refused)
    },
  )
})

describe("the service's own networks", () => {
  test('are refused even if allowed, by address and by name', async () => {
    const receiver = await sending.receiver()
    const sender = sending.sender({
      own: ['127.0.0.1'],
      allowed: ['0.0.0.0/0', '::/0'],
      timeoutMs,
    })
    for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', 'hooks.example.test', 'receiver']) {
      for (const scheme of ['http', 'https']) {
        const url = `${scheme}://${host}:${receiver.port}/`
        expect(await sender.send(deliveryTo(url))).toEqual(refused)
      }
    }
    expect(receiver.connections).toBe(0)
  })

  test('are refused even if they are public', async () => {
    const sender = sending.sender({
      own: ['203.0.114.0/24'],
      resolve: ['203.0.114.7'],
      timeoutMs,
    })
    expect(await sender.send(deliveryTo('https://hooks.example.test/'))).toEqual(refused)
    expect(await sender.send(deliveryTo('https://203.0.114.8/'))).toEqual(refused)
  })
})

describe('a URL that only the allowlist permits', () => {
  const publicAddress = '203.0.114.7'

  test.each([
    ['http: to a name', 'http://hooks.example.test'],
    ['http: to a public address', `http://${publicAddress}`],
    ['http: to a name without a dot', 'http://receiver'],
    ['https: to a name without a dot', 'https://receiver'],
  ])('does not reach a public address: %s', async (_what, base) => {
    const sender = sending.sender({ resolve: [publicAddress], timeoutMs })
    expect(await sender.send(deliveryTo(`${base}:8080/`))).toEqual(refused)
  })

  test.each(['http://hooks.example.test', 'http://receiver', 'http://127.0.0.1'])(
    'reaches allowed addresses and no others: %s',
    async (base) => {
      const receiver = await sending.receiver()
      const delivery = deliveryTo(`${base}:${receiver.port}/`)
      const beside = sending.sender({ allowed: ['127.0.0.2/31'], timeoutMs })
      expect(await beside.send(delivery)).toEqual(refused)
      expect(receiver.connections).toBe(0)
      const exact = sending.sender({ allowed: ['127.0.0.1'] })
      expect(await exact.send(delivery)).toEqual(success(204))
    },
  )

  test('reaches nothing if nothing is allowed', async () => {
    const receiver = await sending.receiver()
    const sender = sending.sender({ allowed: [], timeoutMs })
    expect(await sender.send(deliveryTo(receiver.url))).toEqual(refused)
    expect(receiver.connections).toBe(0)
  })
})
