import { expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { deliveryTo, failure, shortMs, success, useSending } from './sending.ts'

/** A receiver in a process of its own, which responds after a while. It prints its port. */
const otherProcess = `
  const server = require('node:http').createServer((_request, response) =>
    setTimeout(() => response.writeHead(204).end(), 100))
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))`

const stall = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

const sending = useSending()

/** A receiver that talks by the number of the connection, and of the request on it. */
const talking = (talk: (socket: Socket, connection: number, request: number) => void) => {
  let connections = 0
  return sending.rawReceiver((socket) => {
    const connection = (connections += 1)
    let requests = 0
    socket.on('data', () => talk(socket, connection, (requests += 1)))
    socket.on('error', () => undefined)
  })
}

test('a client that throws is an internal error, also after the deadline', async () => {
  const receiver = await sending.receiver({ respond: () => 'hang' })
  const sender = sending.sender({ timeoutMs: shortMs })
  const request = deliveryTo(receiver.url)
  const invalid = { ...request, headers: { 'X-Invalid': 'a\nb' } }
  expect(await sender.send(invalid)).toEqual(failure('internal_error'))
  // Its deadline is later than that of the request above.
  expect(await sender.send(request)).toEqual(failure('timeout'))
})

test('a response that arrives while this process is stalled counts, although the deadline is over', async () => {
  const receiver = spawn(process.execPath, ['-e', otherProcess])
  sending.closing({ close: () => receiver.kill() })
  const [port] = await once(receiver.stdout, 'data')
  const sender = sending.sender({ timeoutMs: shortMs })
  const request = deliveryTo(`http://127.0.0.1:${Number(port)}/`)
  // Afterwards a connection is pooled, and the next request is written immediately.
  expect(await sender.send(request)).toEqual(success(204))
  const sent = sender.send(request)
  await setImmediate()
  await setImmediate()
  stall(2 * shortMs)
  expect(await sent).toEqual(success(204))
})

const timeout = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

test('a 408 that ends an idle connection is not the response to the next request', async () => {
  const receiver = await talking((socket, connection, request) => {
    if (connection === 1 && request === 2) socket.end(timeout)
    else socket.write('HTTP/1.1 204 No Content\r\n\r\n')
  })
  const sender = sending.sender()
  const request = deliveryTo(`http://127.0.0.1:${receiver.port}/`)
  expect(await sender.send(request)).toEqual(success(204))
  expect(await sender.send(request)).toEqual(success(204))
  expect(receiver.connections).toBe(2)
})

test('a 408 on a new connection is the response', async () => {
  const receiver = await talking((socket) => socket.end(timeout))
  const request = deliveryTo(`http://127.0.0.1:${receiver.port}/`)
  expect(await sending.sender().send(request)).toEqual({
    statusCode: 408,
    errorClass: 'http_error',
  })
  expect(receiver.connections).toBe(1)
})
