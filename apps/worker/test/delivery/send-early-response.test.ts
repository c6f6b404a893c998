import { expect, test } from '@jest/globals'
import { deliveryTo, failure, useSending } from './sending.ts'

/** More than fits into the buffers of a connection, so that the request is still being written. */
const body = 'x'.repeat(32 * 2 ** 20)
const refusal = 'HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'

const sending = useSending()

test('reports a response that a receiver sends before it has read the request and resets the connection', async () => {
  const receiver = await sending.rawReceiver((socket) => {
    socket.once('data', () => {
      socket.pause()
      socket.write(refusal, () => socket.resetAndDestroy())
    })
  })
  const outcomes = []
  for (let time = 0; time < 5; time++) {
    const url = `http://127.0.0.1:${receiver.port}/`
    outcomes.push(await sending.sender().send(deliveryTo(url, { body })))
  }
  expect(outcomes).toEqual(outcomes.map(() => failure('http_error', 413)))
})
