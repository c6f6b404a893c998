import { describe, expect, test } from '@jest/globals'
import { openBlackHole } from '../../../../test/support/black-hole.ts'
import { ConnectionError } from '@hosting/process'
import {
  closedPort,
  deliveryTo,
  failure,
  resolvingTo,
  shortMs as timeoutMs,
  slackMs,
  timed,
  useSending,
} from './sending.ts'

const sending = useSending()

const httpTo = (port: number) => deliveryTo(`http://127.0.0.1:${port}/`)
const never = () => new Promise<never>(() => undefined)

describe('a connection', () => {
  test('to a closed port is connection_refused', async () => {
    expect(await sending.sender().send(httpTo(closedPort))).toEqual(failure('connection_refused'))
  })

  test('that every address of a name refuses is connection_refused', async () => {
    const sender = sending.sender({ resolve: ['127.0.0.1', '127.0.0.2', '127.0.0.3'] })
    const outcome = await sender.send(deliveryTo(`http://hooks.example.test:${closedPort}/`))
    expect(outcome).toEqual(failure('connection_refused'))
  })

  test('uses the next address of a name if the first refuses', async () => {
    const receiver = await sending.receiver()
    const sender = sending.sender({ resolve: ['127.0.0.2', '127.0.0.1'] })
    const outcome = await sender.send(deliveryTo(`http://hooks.example.test:${receiver.port}/`))
    expect(outcome.errorClass).toBeNull()
  })

  test.each([
    ['an address', '127.0.0.1'],
    ['a name', 'hooks.example.test'],
  ])('to %s without a response is connect_timeout', async (_what, host) => {
    const hole = sending.closing(await openBlackHole())
    const { result, ms } = await timed(() =>
      sending.sender({ timeoutMs }).send(deliveryTo(`http://${host}:${hole.port}/`)),
    )
    expect(result).toEqual(failure('connect_timeout'))
    expect(ms).toBeGreaterThanOrEqual(timeoutMs - 5)
    expect(ms).toBeLessThan(timeoutMs + slackMs)
  })
})

describe('connection_reset for a receiver that closes the connection', () => {
  test('with an immediate reset', async () => {
    const receiver = await sending.rawReceiver((socket) => socket.resetAndDestroy())
    expect(await sending.sender().send(httpTo(receiver.port))).toEqual(failure('connection_reset'))
  })

  test('with a reset after the request', async () => {
    const receiver = await sending.receiver({ respond: () => 'reset' })
    expect(await sending.sender().send(deliveryTo(receiver.url))).toEqual(
      failure('connection_reset'),
    )
    expect(receiver.requests).toHaveLength(1)
  })

  test.each([
    ['without a response', ''],
    ['within the status line', 'HTTP/1.1 20'],
    ['within the headers', 'HTTP/1.1 200 OK\r\nContent-Le'],
  ])('by closing it normally %s', async (_when, bytes) => {
    const receiver = await sending.rawReceiver((socket) =>
      socket.once('data', () => socket.end(bytes)),
    )
    expect(await sending.sender().send(httpTo(receiver.port))).toEqual(failure('connection_reset'))
    expect(receiver.connections).toBe(1)
  })
})

describe('a response that is not HTTP', () => {
  test.each([
    ['garbage', 'nonsense\r\n\r\n'],
    ['another protocol', '220 mail.example.test ESMTP\r\n'],
    ['a binary response', '\x00\x01\x02\x03'],
    ['no status', 'HTTP/1.1\r\n\r\n'],
    ['a status that is not a number', 'HTTP/1.1 OK 200\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 1000 Beyond\r\n\r\n'],
    ['the status 600', 'HTTP/1.1 600 Beyond\r\nContent-Length: 0\r\n\r\n'],
    ['the status 999', 'HTTP/1.1 999 Request Denied\r\nContent-Length: 0\r\n\r\n'],
    ['the status 099', 'HTTP/1.1 099 Below\r\nContent-Length: 0\r\n\r\n'],
    ['the status 000', 'HTTP/1.1 000\r\nContent-Length: 0\r\n\r\n'],
    ['a header without a name', 'HTTP/1.1 200 OK\r\n: x\r\n\r\n'],
    ['a bad length', 'HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    ['endless headers', `HTTP/1.1 200 OK\r\n${'X-Fill: y\r\n'.repeat(20_000)}`],
  ])('is protocol_error: %s', async (_name, response) => {
    const receiver = await sending.rawReceiver((socket) =>
      socket.once('data', () => socket.write(response)),
    )
    expect(await sending.sender().send(httpTo(receiver.port))).toEqual(failure('protocol_error'))
  })
})

describe('the deadline', () => {
  test.each([
    ['a silent receiver', ''],
    ['half of the status line', 'HTTP/1.1 2'],
    ['half of the headers', 'HTTP/1.1 200 OK\r\nContent-Type: text/'],
    ['headers without their end', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n'],
    ['only an informational response', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ])('ends %s', async (_name, bytes) => {
    const receiver = await sending.rawReceiver((socket) =>
      socket.once('data', () => socket.write(bytes)),
    )
    const { result, ms } = await timed(() =>
      sending.sender({ timeoutMs }).send(httpTo(receiver.port)),
    )
    expect(result).toEqual(failure('timeout'))
    expect(ms).toBeGreaterThanOrEqual(timeoutMs - 5)
    expect(ms).toBeLessThan(timeoutMs + slackMs)
  })

  test('is not extended by headers that trickle in', async () => {
    const receiver = await sending.rawReceiver((socket) => {
      const drip = setInterval(() => socket.write('X'), 50)
      socket.write('HTTP/1.1 200 OK\r\nX-Slow: ')
      socket.once('close', () => clearInterval(drip))
    })
    const { result, ms } = await timed(() =>
      sending.sender({ timeoutMs }).send(httpTo(receiver.port)),
    )
    expect(result).toEqual(failure('timeout'))
    expect(ms).toBeLessThan(timeoutMs + slackMs)
  })

  test('ends a TLS handshake without a response', async () => {
    const receiver = await sending.rawReceiver(() => undefined)
    const outcome = await sending
      .sender({ timeoutMs })
      .send(deliveryTo(`https://127.0.0.1:${receiver.port}/`))
    expect(outcome).toEqual(failure('timeout'))
  })

  test('ends a request that the receiver does not read', async () => {
    const receiver = await sending.rawReceiver((socket) => socket.pause())
    const outcome = await sending
      .sender({ timeoutMs })
      .send({ ...httpTo(receiver.port), body: 'x'.repeat(20_000_000) })
    expect(outcome).toEqual(failure('timeout'))
  })

  test('covers lookup, connection and response together', async () => {
    const deadlineMs = 3_000
    const nameMs = 2_500
    const receiver = await sending.receiver({ respond: never })
    const resolve = async () => {
      await new Promise((done) => setTimeout(done, nameMs))
      return resolvingTo('127.0.0.1')('', '')
    }
    const { result, ms } = await timed(() =>
      sending
        .sender({ timeoutMs: deadlineMs, resolve })
        .send(deliveryTo(`http://hooks.example.test:${receiver.port}/`)),
    )
    expect(result).toEqual(failure('timeout'))
    // With separate deadlines it would end at this time at the earliest.
    expect(ms).toBeLessThan(nameMs + deadlineMs)
  })

  test('closes the connection', async () => {
    const closed = Promise.withResolvers<void>()
    const receiver = await sending.rawReceiver((socket) => {
      socket.resume().once('close', () => closed.resolve())
    })
    await sending.sender({ timeoutMs }).send(httpTo(receiver.port))
    await closed.promise
    expect(receiver.sockets.size).toBe(0)
  })
})

describe('a name', () => {
  const url = 'https://hooks.example.test/'

  test('whose lookup hangs fails at the deadline', async () => {
    const { result, ms } = await timed(() =>
      sending.sender({ timeoutMs, resolve: never }).send(deliveryTo(url)),
    )
    expect(result).toEqual(failure('dns_error'))
    expect(ms).toBeGreaterThanOrEqual(timeoutMs - 5)
    expect(ms).toBeLessThan(timeoutMs + slackMs)
  })

  test('that resolves after the deadline is not connected', async () => {
    const receiver = await sending.receiver()
    const late = Promise.withResolvers<void>()
    const resolve = async () => {
      await late.promise
      return resolvingTo('127.0.0.1')('', '')
    }
    const sender = sending.sender({ timeoutMs, resolve })
    const delivery = deliveryTo(`http://hooks.example.test:${receiver.port}/`)
    expect(await sender.send(delivery)).toEqual(failure('dns_error'))
    late.resolve()
    // After the time of a whole exchange, the late connection would exist.
    await sending.sender().send(deliveryTo(receiver.url))
    expect(receiver.connections).toBe(1)
  })

  test.each([
    ['is rejected by the resolver', new ConnectionError('dns_error', 'no such name')],
    ['is unknown', Object.assign(new Error('x'), { code: 'ENOTFOUND' })],
    ['cannot be looked up now', Object.assign(new Error('x'), { code: 'EAI_AGAIN' })],
  ])('that %s fails at once', async (_how, error) => {
    const sender = sending.sender({ timeoutMs: 10_000, resolve: () => Promise.reject(error) })
    expect(await sender.send(deliveryTo(url))).toEqual(failure('dns_error'))
  })

  test('without an address fails at once', async () => {
    const sender = sending.sender({ timeoutMs: 10_000, resolve: [] })
    expect(await sender.send(deliveryTo(url))).toEqual(failure('dns_error'))
  })

  test('that the system does not know fails with dns_error', async () => {
    const { createResolver } = await import('@hosting/process')
    const sender = sending.sender({ timeoutMs: 10_000, resolve: createResolver().resolve })
    expect(await sender.send(deliveryTo('https://name.invalid/'))).toEqual(failure('dns_error'))
  })
})
