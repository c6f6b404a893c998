import {
  ApiProblem,
  ConnectionError,
  createClient,
  pollDeviceLogin,
  type ClientOptions,
} from '@hosting/sdk'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { root } from '../../../tools/run.ts'

interface Got {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

type Answering = (res: ServerResponse, got: Got) => void

/** A server whose answers a test gives, in order; the last one goes on. */
let answers: Answering[] = []
const got: Got[] = []
const server = createServer((req, res) => {
  void (async () => {
    const { method = '', url = '', headers } = req
    const arrived = { method, url, headers, body: Buffer.concat(await req.toArray()).toString() }
    got.push(arrived)
    const answer = answers.length > 1 ? answers.shift()! : answers[0]!
    answer(res, arrived)
  })()
})
let baseUrl = ''

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => void got.splice(0))
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answering =>
  (res) =>
    res
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body))

const problem = (status: number, code: string, headers: Record<string, string> = {}): Answering =>
  json(status, { code, status, title: 'Title', detail: 'Detail.', request_id: 'r-1' }, headers)

const html: Answering = (res) => res.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad')
const hangUp: Answering = (res) => void res.destroy()
const cutShort: Answering = (res) => {
  res.writeHead(200, { 'content-length': '100' }).write('{"webhook"')
  setTimeout(() => res.destroy(), 5)
}

const makeClient = (options: Partial<ClientOptions> = {}) =>
  createClient({ baseUrl, token: 'hctl_secret', ...options })

const caught = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  )

const body = { url: 'https://hooks.example.com/in', events: ['*'] }
const id = '0199f2d4-31b5-7c60-8a55-6d1f0e2c9b47'

describe('calls', () => {
  test.each(['', '/', '/api/v1', '/api/v1/'])(
    'reach the API under an address with %j',
    async (end) => {
      answers = [json(200, { webhook: { id } })]
      const client = makeClient({ baseUrl: baseUrl + end, headers: { 'User-Agent': 'mine/1' } })
      const { webhook } = await client.GET('/webhooks/{id}', { params: { path: { id } } })
      expect(webhook.id).toBe(id)
      expect(got[0]).toMatchObject({ method: 'GET', url: `/api/v1/webhooks/${id}` })
      expect(got[0]!.headers).toMatchObject({
        authorization: 'Bearer hctl_secret',
        'user-agent': 'mine/1',
      })
      expect(got[0]!.headers['idempotency-key']).toBeUndefined()
    },
  )

  test('an answer without a body is undefined', async () => {
    answers = [(res) => res.writeHead(204).end()]
    const params = { path: { id } }
    expect(await makeClient().DELETE('/webhooks/{id}', { params })).toBeUndefined()
  })

  test('items come from page after page, with the same filters', async () => {
    const page = (ids: string[], next_cursor: string | null): Answering =>
      json(200, { items: ids.map((each) => ({ id: each })), next_cursor })
    answers = [page(['a', 'b'], 'c 1'), page([], 'c2'), page(['c'], null)]
    const query = { status: 'active', limit: 2 } as const
    const ids: string[] = []
    for await (const key of makeClient().items('/api-keys', { params: { query } })) ids.push(key.id)
    expect(ids).toEqual(['a', 'b', 'c'])
    expect(got.map(({ url }) => new URL(url, baseUrl).search)).toEqual([
      '?status=active&limit=2',
      '?status=active&limit=2&cursor=c%201',
      '?status=active&limit=2&cursor=c2',
    ])
  })

  test('leaving the loop reads no further page', async () => {
    answers = [json(200, { items: [{ id: 'a' }], next_cursor: 'more' })]
    const items = makeClient().items('/api-keys')
    await items.next()
    await items.return()
    expect(got).toHaveLength(1)
  })
})

describe('problems', () => {
  test('a problem document becomes an ApiProblem with all that it says', async () => {
    const errors = [{ pointer: '/events/0', message: 'is unknown' }]
    answers = [
      json(
        422,
        {
          code: 'validation_failed',
          title: 'Validation failed',
          detail: 'No.',
          errors,
          request_id: 'r',
        },
        { 'x-request-id': 'r-7' },
      ),
    ]
    const error = await caught(makeClient().POST('/webhooks', { body }))
    expect(error).toBeInstanceOf(ApiProblem)
    expect(error).toMatchObject({
      code: 'validation_failed',
      status: 422,
      title: 'Validation failed',
      detail: 'No.',
      message: 'No.',
      requestId: 'r-7',
      errors,
      retryAfterSeconds: undefined,
    })
    expect(got).toHaveLength(1)
  })

  test.each<[string, Answering, number]>([
    ['502 with HTML', html, 502],
    ['a redirect', (res) => res.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(), 302],
    ['200 with HTML', (res) => res.writeHead(200).end('<h1>Sign in to the wifi'), 200],
    ['JSON that is no problem', json(400, { message: 'no' }), 400],
  ])('%s is an ApiProblem too', async (_name, answer, status) => {
    answers = [answer]
    const error = await caught(makeClient({ retries: 0 }).GET('/auth/me'))
    expect(error).toBeInstanceOf(ApiProblem)
    expect(error).toMatchObject({ code: 'unexpected_answer', status })
    expect(String(error)).not.toContain('hctl_secret')
  })

  test('a replay without its one-time secret is a problem, not a null', async () => {
    answers = [json(201, { webhook: { id }, secret: null }, { 'idempotency-replayed': 'true' })]
    const error = await caught(makeClient().POST('/webhooks', { body }))
    expect(error).toMatchObject({
      code: 'secret_not_repeated',
      status: 201,
      body: { webhook: { id } },
    })
  })

  test('no answer is a ConnectionError', async () => {
    answers = [hangUp]
    const error = await caught(makeClient({ retries: 0 }).GET('/auth/me'))
    expect(error).toBeInstanceOf(ConnectionError)
    expect((error as Error).cause).toMatchObject({ name: 'TypeError' })
  })

  test('an attempt that takes too long is a ConnectionError', async () => {
    answers = [() => undefined]
    const error = await caught(makeClient({ retries: 0, timeoutMs: 50 }).GET('/auth/me'))
    expect(error).toBeInstanceOf(ConnectionError)
    expect((error as Error).message).toContain('in time')
  })
})

describe('retries', () => {
  test('a write is sent again with the same Idempotency-Key and body', async () => {
    answers = [hangUp, html, cutShort, json(201, { webhook: { id }, secret: 'whsec_x' })]
    const { secret } = await makeClient().POST('/webhooks', { body })
    expect(secret).toBe('whsec_x')
    expect(got).toHaveLength(4)
    const keys = got.map(({ headers }) => headers['idempotency-key'])
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(got.map((each) => JSON.parse(each.body) as unknown)).toEqual([body, body, body, body])
    await makeClient().POST('/webhooks', { body })
    expect(got[4]!.headers['idempotency-key']).not.toBe(keys[0])
  })

  test("the caller's own Idempotency-Key is kept", async () => {
    answers = [json(202, { delivery: { id } })]
    const headers = { 'Idempotency-Key': 'mine' }
    await makeClient().POST('/webhooks/{id}/ping', { params: { path: { id } }, headers })
    expect(got[0]!.headers['idempotency-key']).toBe('mine')
  })

  test('429, 503 and a run in progress are waited for; after the last retry the problem is thrown', async () => {
    answers = [
      problem(429, 'rate_limited', { 'retry-after': '0' }),
      problem(503, 'service_unavailable', { 'retry-after': new Date().toUTCString() }),
      problem(409, 'idempotency_in_progress', { 'retry-after': '0' }),
      json(202, { delivery: { id } }),
    ]
    const params = { path: { id } }
    await makeClient().POST('/webhooks/{id}/ping', { params })
    expect(got).toHaveLength(4)
    answers = [problem(429, 'rate_limited', { 'retry-after': '0' })]
    expect(await caught(makeClient({ retries: 1 }).GET('/auth/me'))).toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 0,
    })
    expect(got).toHaveLength(6)
  })

  test('a Retry-After beyond what is waited for is left to the caller', async () => {
    answers = [problem(429, 'rate_limited', { 'retry-after': '31' })]
    expect(await caught(makeClient().GET('/auth/me'))).toMatchObject({ retryAfterSeconds: 31 })
    expect(got).toHaveLength(1)
  })

  test('a signal stops the waiting with its own reason', async () => {
    const stopping = new AbortController()
    answers = [
      (...answering) => {
        problem(503, 'service_unavailable', { 'retry-after': '20' })(...answering)
        setTimeout(() => stopping.abort(new Error('enough')), 50)
      },
    ]
    const call = makeClient().GET('/auth/me', { signal: stopping.signal })
    await expect(call).rejects.toThrow('enough')
    await expect(makeClient().GET('/auth/me', { signal: stopping.signal })).rejects.toThrow(
      'enough',
    )
    expect(got).toHaveLength(1)
  })

  test('where the API ignores an Idempotency-Key none is sent, and nothing is sent twice', async () => {
    const { paths } = JSON.parse(readFileSync(`${root}docs/openapi.json`, 'utf8')) as {
      paths: Record<string, Record<string, { parameters: { name: string }[] }>>
    }
    const ignoring = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(
          ([method, { parameters }]) =>
            method !== 'get' && !parameters.some(({ name }) => name === 'Idempotency-Key'),
        )
        .map(([method]) => `${method} ${path}`),
    )
    expect(ignoring.toSorted()).toEqual([
      'delete /auth/factors/totp',
      'post /auth/device/code',
      'post /auth/device/token',
      'post /auth/factors/totp',
      'post /auth/factors/totp/verify',
      'post /auth/password',
      'post /auth/revoke',
      'post /auth/session',
      'post /auth/session/confirm',
    ])
    answers = [hangUp]
    const client = makeClient()
    await caught(client.POST('/auth/device/code', { body: { client_name: 'x' } }))
    await caught(client.POST('/auth/device/token', { body: { device_code: 'x' } }))
    await caught(client.POST('/auth/session', { body: { email: 'a@b.test', password: 'x' } }))
    await caught(client.POST('/auth/session/confirm', { body: { password: 'x' } }))
    await caught(client.POST('/auth/password', { body: { new_password: 'x' } }))
    await caught(client.POST('/auth/revoke', { body: { token: 'x' } }))
    await caught(client.POST('/auth/factors/totp'))
    await caught(client.POST('/auth/factors/totp/verify', { body: { totp_code: 'x' } }))
    await caught(client.DELETE('/auth/factors/totp'))
    expect(got.map(({ headers }) => headers['idempotency-key'])).toEqual(
      ignoring.map(() => undefined),
    )
  })
})

describe('the device login', () => {
  const code = { device_code: 'dc_1', interval: 5, expires_in: 600 }
  const login = { token: 'hctl_new', key: { id: 'k' }, tenant: {}, user: {} }

  test('is polled through troubles until it is approved, each wait announced', async () => {
    answers = [
      problem(400, 'authorization_pending'),
      html,
      hangUp,
      problem(400, 'slow_down'),
      json(200, login),
    ]
    const slept: number[] = []
    const waits: number[] = []
    const result = await pollDeviceLogin(makeClient(), code, {
      sleep: (ms) => {
        slept.push(Math.round(ms))
        return Promise.resolve()
      },
      onWait: ({ waitMs }) => waits.push(Math.round(waitMs)),
    })
    expect(result.token).toBe('hctl_new')
    expect(slept).toEqual([5_500, 5_000, 10_000, 20_000, 10_000])
    expect(waits).toEqual(slept)
    expect(got.map((each) => JSON.parse(each.body) as unknown)).toEqual(
      Array.from({ length: 5 }, () => ({ device_code: 'dc_1' })),
    )
  })

  test.each([
    ['access_denied', { name: 'DeviceLoginError', reason: 'refused' }],
    ['expired_token', { name: 'DeviceLoginError', reason: 'expired' }],
    ['validation_failed', { name: 'ApiProblem', code: 'validation_failed' }],
  ])('ends at %s', async (given, expected) => {
    answers = [problem(400, given)]
    const sleep = () => Promise.resolve()
    expect(await caught(pollDeviceLogin(makeClient(), code, { sleep }))).toMatchObject(expected)
  })

  test('is stopped by its signal, also in a wait', async () => {
    const stopping = new AbortController()
    const polling = pollDeviceLogin(makeClient(), code, { signal: stopping.signal })
    stopping.abort(new Error('interrupted'))
    await expect(polling).rejects.toThrow('interrupted')
  })
})

describe('listening', () => {
  const stream =
    (...messages: string[]): Answering =>
    (res) =>
      res.writeHead(200, { 'content-type': 'text/event-stream' }).end(messages.join(''))

  const listenAll = async (): Promise<unknown[]> => {
    const messages: unknown[] = []
    for await (const message of makeClient().listen()) messages.push(message)
    return messages
  }

  test('gives the messages, and passes over what it does not know', async () => {
    answers = [
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

  test.each<[string, Answering, object]>([
    ['a refusal', problem(409, 'conflict'), { name: 'ApiProblem', code: 'conflict' }],
    ['no stream', json(200, {}), { name: 'ApiProblem', code: 'unexpected_answer' }],
    ['an end without a word', stream('data: {"secret":"s"}\n\n'), { name: 'ConnectionError' }],
    ['no answer', hangUp, { name: 'ConnectionError' }],
  ])('%s is thrown', async (_name, answer, expected) => {
    answers = [answer]
    expect(await caught(listenAll())).toMatchObject(expected)
  })

  test('a signal ends it with its own reason, and leaving the loop closes the connection', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    answers = [
      (res) => {
        res.once('close', resolve)
        res
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .write('data: {"secret":"s"}\n\n')
      },
    ]
    for await (const { kind } of makeClient().listen()) {
      expect(kind).toBe('secret')
      break
    }
    await closed
    const stopping = new AbortController()
    const listening = (async () => {
      for await (const { kind } of makeClient().listen({ signal: stopping.signal })) {
        stopping.abort(new Error(`${kind} is enough`))
      }
    })()
    await expect(listening).rejects.toThrow('secret is enough')
  })
})

test('an address that is none is refused at once', () => {
  expect(() => createClient({ baseUrl: 'panel.example' })).toThrow('Invalid URL')
})
