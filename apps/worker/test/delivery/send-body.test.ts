import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import diagnostics from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import {
  deliveryTo,
  failure,
  shortMs as timeoutMs,
  slackMs,
  success,
  timed,
  useSending,
} from './sending.ts'

const sending = useSending()
const limit = 64 * 1_024

/** The client sockets of this process. */
const clients: Socket[] = []
const onClient = (message: unknown) => void clients.push((message as { socket: Socket }).socket)
beforeAll(() => diagnostics.subscribe('net.client.socket', onClient))
afterAll(() => void diagnostics.unsubscribe('net.client.socket', onClient))

/** Chunks of a body, followed by its end, a failure, or nothing. */
async function* pieces(count: number, then: 'end' | 'break' | 'stall'): AsyncGenerator<Buffer> {
  for (let piece = 0; piece < count; piece++) yield Buffer.alloc(16 * 1_024, 'x')
  await setTimeout(20)
  if (then === 'break') throw new Error('broken by the test')
  if (then === 'stall') await new Promise(() => undefined)
}

const bodyOf = (count: number, then: 'end' | 'break' | 'stall'): Readable =>
  Readable.from(pieces(count, then))

describe('an endless body', () => {
  test.each([200, 500])('of a %i response is read only up to the limit', async (status) => {
    const receiver = await sending.receiver({
      respond: () => ({ status, body: bodyOf(Infinity, 'end') }),
    })
    const deadlineMs = 10_000
    const sender = sending.sender({ timeoutMs: deadlineMs })
    const { result, ms } = await timed(() => sender.send(deliveryTo(receiver.url)))
    expect(result).toEqual(status === 200 ? success(200) : failure('http_error', 500))
    expect(ms).toBeLessThan(deadlineMs - 5)
    const socket = clients.at(-1)!
    expect(socket.bytesRead).toBeGreaterThan(limit)
    // Bytes that were in transit when the limit was reached may be added.
    expect(socket.bytesRead).toBeLessThan(8 * limit)
    expect(socket.destroyed).toBe(true)
  })

  test('that trickles in ends at the deadline as a success', async () => {
    async function* drops(): AsyncGenerator<string> {
      for (;;) {
        yield 'x'
        await setTimeout(20)
      }
    }
    const receiver = await sending.receiver({
      respond: () => ({ status: 200, body: Readable.from(drops()) }),
    })
    const { result, ms } = await timed(() =>
      sending.sender({ timeoutMs }).send(deliveryTo(receiver.url)),
    )
    expect(result).toEqual(success(200))
    expect(ms).toBeGreaterThanOrEqual(timeoutMs - 5)
    expect(ms).toBeLessThan(timeoutMs + slackMs)
  })
})

describe('a body that stalls', () => {
  test.each([
    ['at its start', 0],
    ['after some of it', 2],
  ])('%s ends at the deadline as a success', async (_when, count) => {
    const receiver = await sending.receiver({
      respond: () => ({ status: 201, body: bodyOf(count, 'stall') }),
    })
    const { result, ms } = await timed(() =>
      sending.sender({ timeoutMs }).send(deliveryTo(receiver.url)),
    )
    expect(result).toEqual(success(201))
    expect(ms).toBeLessThan(timeoutMs + slackMs)
    expect(clients.at(-1)!.destroyed).toBe(true)
  })

  test('does not change the error of the response', async () => {
    const receiver = await sending.receiver({
      respond: () => ({ status: 503, body: bodyOf(1, 'stall') }),
    })
    const outcome = await sending.sender({ timeoutMs }).send(deliveryTo(receiver.url))
    expect(outcome).toEqual(failure('http_error', 503))
  })
})

describe('a body that breaks', () => {
  test.each([
    [200, null],
    [302, 'redirect'],
    [500, 'http_error'],
  ] as const)('does not change the outcome of a %i response', async (status, errorClass) => {
    const receiver = await sending.receiver({
      respond: () => ({ status, body: bodyOf(1, 'break') }),
    })
    const outcome = await sending.sender().send(deliveryTo(receiver.url))
    expect(outcome).toEqual({ statusCode: status, errorClass })
  })

  test.each([
    ['by a reset', 'Content-Length: 100\r\n\r\nhalf'],
    ['by a reset in a chunk', 'Transfer-Encoding: chunked\r\n\r\n10\r\nhalf'],
  ])('%s is still a success', async (_how, rest) => {
    const receiver = await sending.rawReceiver((socket) =>
      socket.once('data', () => {
        socket.write(`HTTP/1.1 200 OK\r\n${rest}`, () => void reset())
        const reset = async () => {
          await setTimeout(20)
          socket.resetAndDestroy()
        }
      }),
    )
    const outcome = await sending.sender().send(deliveryTo(`http://127.0.0.1:${receiver.port}/`))
    expect(outcome).toEqual(success(200))
    expect(receiver.connections).toBe(1)
  })

  test.each([
    ['shorter than announced', 'Content-Length: 100\r\n\r\nhalf'],
    ['longer than announced', 'Content-Length: 1\r\n\r\nmuch more'],
    ['with a bad chunk', 'Transfer-Encoding: chunked\r\n\r\nzz\r\nhalf'],
    ['that only seems compressed', 'Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nhalf'],
    ['until the connection closes', '\r\nhalf'],
  ])('%s is still a success', async (_how, rest) => {
    const receiver = await sending.rawReceiver((socket) =>
      socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\n${rest}`)),
    )
    const outcome = await sending.sender().send(deliveryTo(`http://127.0.0.1:${receiver.port}/`))
    expect(outcome).toEqual(success(200))
  })
})

describe('a body within the limit', () => {
  test.each([0, 1, 1_024, limit])(
    'of %i bytes allows the connection to be reused',
    async (size) => {
      const receiver = await sending.receiver({
        respond: () => ({ status: 200, body: 'x'.repeat(size) }),
      })
      const sender = sending.sender()
      for (let count = 0; count < 3; count++) {
        expect(await sender.send(deliveryTo(receiver.url))).toEqual(success(200))
      }
      expect(receiver.connections).toBe(1)
    },
  )

  test('if one byte longer, closes the connection', async () => {
    const receiver = await sending.receiver({
      respond: () => ({ status: 200, body: 'x'.repeat(limit + 1) }),
    })
    const sender = sending.sender()
    for (let count = 0; count < 2; count++) {
      expect(await sender.send(deliveryTo(receiver.url))).toEqual(success(200))
    }
    expect(receiver.connections).toBe(2)
  })
})
