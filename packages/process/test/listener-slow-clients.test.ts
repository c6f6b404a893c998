import { listen } from '@hosting/process'
import { describe, expect, test } from '@jest/globals'
import { EventEmitter, once } from 'node:events'
import { connectRaw, sendRaw, type RawResponse } from '../../../test/support/raw-http.ts'
import {
  createEcho,
  expectProblem,
  get,
  host,
  post,
  useListeners,
  malformed,
} from './support/echo.ts'

const open = useListeners()

describe('slow clients', () => {
  const limits = { headersMs: 150, requestMs: 300, checkEveryMs: 20 }

  /** Sends a start and then single bytes at intervals until the connection is closed. */
  async function dribble(url: string, start: string): Promise<RawResponse[]> {
    const { socket, responses } = await connectRaw(url)
    socket.write(start)
    const drops = setInterval(() => socket.write('a'), 50)
    return responses.finally(() => clearInterval(drops))
  }

  test('each of 200 that send headers or bodies slowly is closed at the limit, while others are served', async () => {
    // Longer than a busy machine takes to read the data of 200 clients: all clients have this limit.
    const url = await open(createEcho(), { headersMs: 1_500, requestMs: 3_000, checkEveryMs: 20 })
    let ended = 0
    const slow = Array.from({ length: 200 }, async (_, index) => {
      const start =
        index % 2 === 0 ? `GET / HTTP/1.1\r\n${host}X-A: ` : post('Content-Length: 1000000', 'a')
      const responses = await dribble(url, start)
      ended += 1
      return responses
    })
    // Starts once all are connected and lasts while any of them is.
    const allEnded = Promise.all(slow)
    let served = 0
    while (ended < slow.length) {
      const [response] = await sendRaw(url, get)
      expect(response!.status).toBe(200)
      served += 1
    }
    expect(served).toBeGreaterThan(1)
    for (const responses of await allEnded) {
      expectProblem(responses, {
        ...malformed,
        detail: 'The request did not arrive completely in time.',
      })
    }
  })

  test('a connection without any data is closed without a response', async () => {
    const url = await open(createEcho(), limits)
    const { responses } = await connectRaw(url)
    expect(await responses).toEqual([])
  })

  test('a connection without further requests is closed', async () => {
    const url = await open(createEcho(), { keepAliveMs: 1 })
    const responses = await sendRaw(url, get.replace('Connection: close\r\n', ''))
    expect(responses.map(({ status }) => status)).toEqual([200])
  })

  test('a client that does not read its response is disconnected', async () => {
    const events = new EventEmitter()
    const url = await open(createEcho(events), { stalledMs: 1_000 })
    const { socket } = await connectRaw(url)
    socket.pause()
    socket.write(get.replace('/ ', '/large '))
    const [wasSent] = (await once(events, 'closed')) as [boolean]
    expect(wasSent).toBe(false)
    socket.destroy()
  })

  test('connections beyond the limit are closed immediately, and existing ones are served', async () => {
    const url = await open(createEcho(), { connectionsMax: 2 })
    const [first, second] = [await connectRaw(url), await connectRaw(url)]
    expect(await (await connectRaw(url)).responses).toEqual([])
    for (const { socket, responses } of [first, second]) {
      socket.write(get)
      expect((await responses).map(({ status }) => status)).toEqual([200])
    }
  })
})

describe('a listener that closes', () => {
  const limits = { closingMs: 50, drainMs: 300 }
  const openOwn = (events?: EventEmitter) =>
    listen(createEcho(events), { host: '127.0.0.1', port: 0, limits })

  test.each([
    ['nothing', ''],
    ['half a header', `GET / HTTP/1.1\r\nHo`],
    ['half a body', post('Content-Length: 9', 'a')],
  ])('does not wait for a client that sent %s', async (_what, text) => {
    const events = new EventEmitter()
    const listener = await openOwn(events)
    const { socket, responses } = await connectRaw(`http://127.0.0.1:${listener.port}`)
    const seen = text.startsWith('POST') ? once(events, 'request') : undefined
    socket.write(text)
    await seen
    await listener.close()
    expect(await responses).toEqual([])
  })

  test('completes a request in progress', async () => {
    const events = new EventEmitter()
    const listener = await listen(createEcho(events), { host: '127.0.0.1', port: 0 })
    const { socket, responses } = await connectRaw(`http://127.0.0.1:${listener.port}`)
    const seen = once(events, 'request')
    socket.write(post('Content-Length: 9', 'a'))
    await seen
    const closed = listener.close()
    socket.write('bcdefghi')
    expect((await responses).map(({ status }) => status)).toEqual([200])
    await closed
  })
})
