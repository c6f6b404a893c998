import { describe, expect, test } from '@jest/globals'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { deliveryTo, failure, shortMs, success, timed, useSending } from './sending.ts'

const sending = useSending()
const response = 'HTTP/1.1 204 No Content\r\n\r\n'

/** A receiver whose response depends on the number of the connection, and of the request on it. */
const talking = (talk: (socket: Socket, connection: number, request: number) => void) => {
  let connections = 0
  return sending.rawReceiver((socket) => {
    const connection = (connections += 1)
    let requests = 0
    socket.on('data', () => talk(socket, connection, (requests += 1)))
  })
}

const httpTo = (port: number) => deliveryTo(`http://127.0.0.1:${port}/`)

describe('a pooled connection', () => {
  test('is reused', async () => {
    const receiver = await sending.receiver()
    const sender = sending.sender()
    for (let count = 0; count < 5; count++) await sender.send(deliveryTo(receiver.url))
    expect(receiver.requests.map(({ connection }) => connection)).toEqual([1, 1, 1, 1, 1])
  })

  test('is reused after an error response', async () => {
    const receiver = await sending.receiver({ respond: () => ({ status: 500, body: 'no' }) })
    const sender = sending.sender()
    for (let count = 0; count < 3; count++) await sender.send(deliveryTo(receiver.url))
    expect(receiver.connections).toBe(1)
  })

  test('is not used for another name on the same address', async () => {
    const receiver = await sending.receiver()
    const sender = sending.sender()
    for (const name of ['a.example.test', 'b.example.test']) {
      await sender.send(deliveryTo(`http://${name}:${receiver.port}/`))
    }
    expect(receiver.connections).toBe(2)
  })

  test('that the receiver closed is not reused', async () => {
    const receiver = await sending.receiver()
    const sender = sending.sender()
    await sender.send(deliveryTo(receiver.url))
    const [socket] = [...receiver.sockets]
    const closed = once(socket!, 'close')
    socket!.end()
    await closed
    expect(await sender.send(deliveryTo(receiver.url))).toEqual(success(204))
    expect(receiver.requests.map(({ connection }) => connection)).toEqual([1, 2])
  })

  test('is not reused after a response that closes it', async () => {
    const receiver = await sending.receiver({
      respond: () => ({ status: 204, headers: { connection: 'close' } }),
    })
    const sender = sending.sender()
    for (let count = 0; count < 2; count++) await sender.send(deliveryTo(receiver.url))
    expect(receiver.connections).toBe(2)
  })

  test('with a hanging request is not used by another request', async () => {
    const receiver = await sending.receiver({ respond: () => 'hang' })
    const sender = sending.sender({ timeoutMs: shortMs })
    await Promise.all([1, 2].map(() => sender.send(deliveryTo(receiver.url))))
    await sender.send(deliveryTo(receiver.url))
    expect(receiver.connections).toBe(3)
  })
})

describe('a pooled connection that turns out to be dead', () => {
  test.each<[string, (socket: Socket) => void]>([
    ['reset', (socket) => socket.resetAndDestroy()],
    ['closed', (socket) => socket.end()],
  ])(
    '(%s) is not a failure: the request is sent again over a new connection',
    async (_how, kill) => {
      const receiver = await talking((socket, connection, request) => {
        if (connection === 1 && request === 2) kill(socket)
        else socket.write(response)
      })
      const sender = sending.sender()
      expect(await sender.send(httpTo(receiver.port))).toEqual(success(204))
      expect(await sender.send(httpTo(receiver.port))).toEqual(success(204))
      expect(receiver.connections).toBe(2)
    },
  )

  test('is retried only once: if the new connection fails, the attempt fails', async () => {
    const receiver = await talking((socket, connection, request) => {
      if (connection === 1 && request === 1) socket.write(response)
      else socket.resetAndDestroy()
    })
    const sender = sending.sender()
    await sender.send(httpTo(receiver.port))
    expect(await sender.send(httpTo(receiver.port))).toEqual(failure('connection_reset'))
    expect(receiver.connections).toBe(2)
  })

  test('is a failure if part of a response had arrived', async () => {
    const receiver = await talking((socket, _connection, request) => {
      if (request === 1) socket.write(response)
      else socket.end('HTTP/1.1 20')
    })
    const sender = sending.sender()
    await sender.send(httpTo(receiver.port))
    expect(await sender.send(httpTo(receiver.port))).toEqual(failure('connection_reset'))
    expect(receiver.connections).toBe(1)
  })

  test('is a timeout if it stays silent, and is not retried', async () => {
    const receiver = await talking((socket, _connection, request) => {
      if (request === 1) socket.write(response)
    })
    const sender = sending.sender({ timeoutMs: shortMs })
    await sender.send(httpTo(receiver.port))
    expect(await sender.send(httpTo(receiver.port))).toEqual(failure('timeout'))
    expect(receiver.connections).toBe(1)
  })

  test('shares its deadline with the new connection', async () => {
    const deadlineMs = 3_000
    const resetMs = 2_500
    const receiver = await talking((socket, connection, request) => {
      if (connection === 1 && request === 1) socket.write(response)
      else if (connection === 1) setTimeout(() => socket.resetAndDestroy(), resetMs)
    })
    const sender = sending.sender({ timeoutMs: deadlineMs })
    await sender.send(httpTo(receiver.port))
    const { result, ms } = await timed(() => sender.send(httpTo(receiver.port)))
    expect(result).toEqual(failure('timeout'))
    // With a separate deadline it would end at this time at the earliest.
    expect(ms).toBeLessThan(resetMs + deadlineMs - 5)
    expect(receiver.connections).toBe(2)
  })
})

test('a new connection that breaks is a failure, and is not retried', async () => {
  const receiver = await sending.receiver({ respond: () => 'reset' })
  const outcome = await sending.sender().send(deliveryTo(receiver.url))
  expect(outcome).toEqual(failure('connection_reset'))
  expect(receiver.connections).toBe(1)
})
