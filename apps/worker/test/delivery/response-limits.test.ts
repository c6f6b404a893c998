import { headBytesMax, informationalResponsesMax } from '@hosting/process'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import diagnostics from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { bodyBytesMax } from '../../src/delivery/send.ts'
import { headForms, headOfOneField } from '../../../../test/support/long-heads.ts'
import { deliveryTo, failure, success, useSending } from './sending.ts'

const sending = useSending()
const processing = 'HTTP/1.1 102 Processing\r\n\r\n'
const final = 'HTTP/1.1 204 No Content\r\n\r\n'
/** The bytes of one socket read may exceed a limit. */
const readBytes = 64 * 1_024

/** The client sockets of this process. */
const clients: Socket[] = []
const onClient = (message: unknown) => void clients.push((message as { socket: Socket }).socket)
beforeAll(() => diagnostics.subscribe('net.client.socket', onClient))
afterAll(() => void diagnostics.unsubscribe('net.client.socket', onClient))

/** Writes `text` as long as the other side reads. */
function stream(socket: Socket, head: string, text: string): void {
  const block = Buffer.from(text.repeat(Math.ceil(readBytes / text.length)))
  const write = () => {
    while (!socket.destroyed && socket.write(block));
  }
  socket.write(head)
  socket.on('drain', write)
  write()
}

describe('the response limits', () => {
  const responding = async (respond: (socket: Socket) => void) => {
    const receiver = await sending.rawReceiver((socket) => {
      socket.once('data', () => respond(socket))
    })
    return deliveryTo(`http://127.0.0.1:${receiver.port}/`)
  }

  describe.each(headForms)('permit 64 KiB of headers, in %s,', (_form, headOf) => {
    test('and a body after them', async () => {
      const delivery = await responding((socket) =>
        socket.write(`${headOf(headBytesMax, 'Content-Length: 70000')}${'x'.repeat(70_000)}`),
      )
      expect(await sending.sender().send(delivery)).toEqual(success(200))
    })

    test('in pieces', async () => {
      const delivery = await responding((socket) => {
        const head = headOf(headBytesMax, 'Content-Length: 0')
        socket.setNoDelay().write(head.slice(0, -2), () => socket.write(head.slice(-2)))
      })
      expect(await sending.sender().send(delivery)).toEqual(success(200))
    })

    test('and not a byte more', async () => {
      const delivery = await responding((socket) =>
        socket.write(headOf(headBytesMax + 1, 'Content-Length: 0')),
      )
      expect(await sending.sender().send(delivery)).toEqual(failure('protocol_error'))
    })
  })

  test('count informational responses as part of the 64 KiB', async () => {
    const last = headOfOneField(headBytesMax - processing.length + 1, 'Content-Length: 0')
    const delivery = await responding((socket) => socket.write(processing + last))
    expect(await sending.sender().send(delivery)).toEqual(failure('protocol_error'))
  })

  test('allow ten informational responses before the final response', async () => {
    const delivery = await responding((socket) =>
      socket.write(processing.repeat(informationalResponsesMax) + final),
    )
    expect(await sending.sender().send(delivery)).toEqual(success(204))
  })

  test('reject an eleventh informational response, even if a success follows', async () => {
    const delivery = await responding((socket) =>
      socket.write(processing.repeat(informationalResponsesMax + 1) + final),
    )
    expect(await sending.sender().send(delivery)).toEqual(failure('protocol_error'))
  })

  test('count informational responses that arrive separately', async () => {
    const delivery = await responding((socket) => {
      const drip = setInterval(() => socket.write(processing), 5)
      socket.once('close', () => clearInterval(drip))
    })
    expect(await sending.sender().send(delivery)).toEqual(failure('protocol_error'))
  })

  test('reject a few informational responses with too many bytes', async () => {
    const early = `HTTP/1.1 103 Early Hints\r\nLink: ${'x'.repeat(15_000)}\r\n\r\n`
    expect(early.length * 5).toBeGreaterThan(headBytesMax)
    const delivery = await responding((socket) => socket.write(early.repeat(5) + final))
    expect(await sending.sender().send(delivery)).toEqual(failure('protocol_error'))
  })

  test.each([
    ['informational responses', '', processing],
    ['headers', 'HTTP/1.1 200 OK\r\n', 'X-Fill: y\r\n'],
    ['a reason phrase', 'HTTP/1.1 200 ', 'OK '],
    ['a header value', 'HTTP/1.1 200 OK\r\nX-Fill: ', 'yyyy'],
    ['empty lines', '', '\r\n'],
  ])('stop a stream of %s without end, and read no more of it', async (_what, head, text) => {
    const delivery = await responding((socket) => stream(socket, head, text))
    expect(await sending.sender().send(delivery)).toEqual(failure('protocol_error'))
    const socket = clients.at(-1)!
    expect(socket.bytesRead).toBeLessThanOrEqual(headBytesMax + readBytes)
    expect(socket.destroyed).toBe(true)
  })

  test.each([
    ['chunk extensions', '1;a=', 'x'],
    ['small chunks with extensions', '', `1;${'x'.repeat(1_000)}\r\ny\r\n`],
    ['trailers', '0\r\n', 'X-Fill: y\r\n'],
  ])('stop a body of %s without end, which keeps its success', async (_what, head, text) => {
    const start = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${head}`
    const delivery = await responding((socket) => stream(socket, start, text))
    expect(await sending.sender().send(delivery)).toEqual(success(200))
    const socket = clients.at(-1)!
    expect(socket.bytesRead).toBeLessThanOrEqual(headBytesMax + 2 * bodyBytesMax + readBytes)
    expect(socket.destroyed).toBe(true)
  })

  test('restart for each request of a connection', async () => {
    const receiver = await sending.rawReceiver((socket) => {
      socket.on('data', () => socket.write(processing.repeat(6) + final))
    })
    const delivery = deliveryTo(`http://127.0.0.1:${receiver.port}/`)
    const sender = sending.sender()
    for (let count = 0; count < 4; count++) {
      expect(await sender.send(delivery)).toEqual(success(204))
    }
    expect(receiver.connections).toBe(1)
    expect(clients.at(-1)!.listenerCount('data')).toBe(0)
  })

  test('apply to each of many concurrent attempts', async () => {
    const delivery = await responding((socket) => stream(socket, '', processing))
    const sender = sending.sender()
    const before = clients.length
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => sender.send(delivery)))
    expect(outcomes).toEqual(Array(50).fill(failure('protocol_error')))
    for (const socket of clients.slice(before)) {
      expect(socket.bytesRead).toBeLessThanOrEqual(headBytesMax + readBytes)
    }
  })
})
