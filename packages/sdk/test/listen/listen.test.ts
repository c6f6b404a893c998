import { describe, expect, test } from '@jest/globals'
import { listen } from '../../src/listen/listen.ts'
import {
  cutShort,
  errorOf,
  hangUp,
  json,
  problem,
  useServer,
  type Responder,
} from '../support/server.ts'

const server = useServer()

describe('client.listen', () => {
  const stream =
    (...messages: string[]): Responder =>
    (res) =>
      res.writeHead(200, { 'content-type': 'text/event-stream' }).end(messages.join(''))

  const listenAll = async (
    listening: AsyncIterable<unknown> = server.client().listen(),
  ): Promise<unknown[]> => {
    const messages: unknown[] = []
    for await (const message of listening) messages.push(message)
    return messages
  }

  test('yields the messages and ignores unknown ones', async () => {
    server.responders = [
      stream(
        'data: {"secret":"whsec_x"}\n\n',
        ': heartbeat\n\n',
        'data: {"later":1}\n\n',
        'data: {"headers":{"Service-Event":"a.b"},"body":"{}"}\n\n',
        'event: end\ndata: {"code":"too_slow","detail":"d"}\n\n',
      ),
    ]
    expect(await listenAll()).toEqual([
      { kind: 'secret', secret: 'whsec_x' },
      { kind: 'event', headers: { 'Service-Event': 'a.b' }, body: '{}' },
      { kind: 'end', code: 'too_slow', detail: 'd' },
    ])
  })

  test.each<[string, Responder, object]>([
    ['a conflict', problem(409, 'conflict'), { name: 'ApiProblem', code: 'conflict' }],
    [
      'a response that is not a stream',
      json(200, {}),
      { name: 'ApiProblem', code: 'unexpected_answer' },
    ],
    ['an end without a message', stream('data: {"secret":"s"}\n\n'), { name: 'ConnectionError' }],
    ['no response', hangUp, { name: 'ConnectionError' }],
    ['a response that is cut off', cutShort, { name: 'ConnectionError' }],
  ])('rejects: %s', async (_name, responder, expected) => {
    server.responders = [responder]
    expect(await errorOf(listenAll())).toMatchObject(expected)
  })

  test.each<[string, Responder]>([
    ['no response', () => undefined],
    ['an error response that never ends', (res) => res.writeHead(502).write('<h1>Bad')],
    [
      'a stream',
      (res) => res.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n'),
    ],
  ])('rejects after a silence in: %s', async (_name, responder) => {
    server.responders = [responder]
    const settings = {
      baseUrl: server.baseUrl,
      headers: {},
      fetch,
      signal: undefined,
      standardWebhooks: false,
      silenceMsMax: 50,
    }
    expect(await errorOf(listenAll(listen(settings)))).toMatchObject({ name: 'ConnectionError' })
  })

  test('a signal ends the wait for an error response with its reason', async () => {
    const stopping = new AbortController()
    const reason = new Error('enough')
    server.responders = [
      (res) => {
        res.writeHead(502).write('<h1>Bad')
        setTimeout(() => stopping.abort(reason), 20)
      },
    ]
    const listening = listenAll(server.client().listen({ signal: stopping.signal }))
    expect(await errorOf(listening)).toBe(reason)
  })

  test('leaving the loop closes the connection, and a signal ends it with its reason', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    server.responders = [
      (res) => {
        res.once('close', resolve)
        res
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .write('data: {"secret":"s"}\n\n')
      },
    ]
    for await (const { kind } of server.client().listen()) {
      expect(kind).toBe('secret')
      break
    }
    await closed
    const stopping = new AbortController()
    const listening = (async () => {
      for await (const { kind } of server.client().listen({ signal: stopping.signal })) {
        stopping.abort(new Error(`${kind} is enough`))
      }
    })()
    await expect(listening).rejects.toThrow('secret is enough')
  })
})
