import { ApiProblem, ConnectionError, createClient } from '@hosting/sdk'
import { describe, expect, test } from '@jest/globals'
import { errorOf, hangUp, html, json, useServer, type Responder } from './support/server.ts'

const server = useServer()
const body = { url: 'https://hooks.example.com/in', events: ['*'] }
const newKey = { name: 'ci', scopes: ['sites:read' as const] }
const id = '0199f2d4-31b5-7c60-8a55-6d1f0e2c9b47'
const queryOf = ({ url }: { url: string }) =>
  Object.fromEntries(new URL(url, server.baseUrl).searchParams)

describe('a call', () => {
  test.each(['', '/', '/api/v1', '/api/v1/'])(
    'reaches the API with a base URL that ends with %j',
    async (end) => {
      server.responders = [json(200, { webhook: { id } })]
      const client = server.client({
        baseUrl: server.baseUrl + end,
        headers: { 'User-Agent': 'mine/1' },
      })
      const { webhook } = await client.GET('/webhooks/{id}', { params: { path: { id } } })
      expect(webhook.id).toBe(id)
      expect(server.requests[0]).toMatchObject({ method: 'GET', url: `/api/v1/webhooks/${id}` })
      expect(server.requests[0]!.headers).toMatchObject({
        authorization: 'Bearer hctl_secret',
        'user-agent': 'mine/1',
      })
      expect(server.requests[0]!.headers['idempotency-key']).toBeUndefined()
    },
  )

  test('returns undefined for a response without a body', async () => {
    server.responders = [(res) => res.writeHead(204).end()]
    const params = { path: { id } }
    expect(await server.client().DELETE('/webhooks/{id}', { params })).toBeUndefined()
  })

  test('items reads page after page with the same filters', async () => {
    const page = (ids: string[], next_cursor: string | null): Responder =>
      json(200, { items: ids.map((each) => ({ id: each })), next_cursor })
    server.responders = [page(['a', 'b'], 'c 1'), page([], 'c2'), page(['c'], null)]
    const query = { status: 'active', limit: 2 } as const
    const ids: string[] = []
    for await (const key of server.client().items('/api-keys', { params: { query } }))
      ids.push(key.id)
    expect(ids).toEqual(['a', 'b', 'c'])
    expect(server.requests.map(({ url }) => new URL(url, server.baseUrl).search)).toEqual([
      '?status=active&limit=2',
      '?status=active&limit=2&cursor=c%201',
      '?status=active&limit=2&cursor=c2',
    ])
  })

  test('items reads the event log to its present end, past empty pages', async () => {
    const page = (ids: string[], next_cursor: string): Responder =>
      json(200, { items: ids.map((each) => ({ id: each })), next_cursor })
    server.responders = [page([], '1'), page(['a'], '2'), page([], '3'), page([], '3')]
    const query = { types: 'site.*' }
    const ids: string[] = []
    for await (const event of server.client().items('/events', { params: { query } }))
      ids.push(event.id)
    expect(ids).toEqual(['a'])
    expect(server.requests).toHaveLength(4)
  })

  test('items starts the event log at `since`, and continues with the cursor alone', async () => {
    server.responders = [
      json(200, { items: [{ id: 'a' }], next_cursor: '1' }),
      json(200, { items: [], next_cursor: '1' }),
    ]
    const query = { since: '2026-11-01T00:00:00Z', types: 'site.*' }
    const ids: string[] = []
    for await (const event of server.client().items('/events', { params: { query } }))
      ids.push(event.id)
    expect(ids).toEqual(['a'])
    expect(server.requests.map(queryOf)).toEqual([query, { types: 'site.*', cursor: '1' }])
  })

  test('items keeps the filter `since` of other lists', async () => {
    server.responders = [
      json(200, { items: [{ id: 'a' }], next_cursor: '1' }),
      json(200, { items: [], next_cursor: null }),
    ]
    const query = { since: '2026-11-01T00:00:00Z' }
    const ids: string[] = []
    for await (const event of server.client().items('/audit-log', { params: { query } }))
      ids.push(event.id)
    expect(ids).toEqual(['a'])
    expect(server.requests.map(queryOf)).toEqual([query, { ...query, cursor: '1' }])
  })

  test('items reads no further page after the loop is left', async () => {
    server.responders = [json(200, { items: [{ id: 'a' }], next_cursor: 'more' })]
    const items = server.client().items('/api-keys')
    await items.next()
    await items.return()
    expect(server.requests).toHaveLength(1)
  })
})

describe('a response that is not successful', () => {
  test('rejects with an ApiProblem that has every member of the problem document', async () => {
    const errors = [{ pointer: '/events/0', message: 'is unknown' }]
    server.responders = [
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
    const error = await errorOf(server.client().POST('/webhooks', { body }))
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
    expect(server.requests).toHaveLength(1)
  })

  test.each<[string, Responder, number]>([
    ['502 with HTML', html, 502],
    ['a redirect', (res) => res.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(), 302],
    ['200 with HTML', (res) => res.writeHead(200).end('<h1>Sign in to the wifi'), 200],
    ['JSON that is not a problem document', json(400, { message: 'no' }), 400],
  ])('rejects with an ApiProblem: %s', async (_name, responder, status) => {
    server.responders = [responder]
    const error = await errorOf(server.client({ retries: 0 }).GET('/auth/me'))
    expect(error).toBeInstanceOf(ApiProblem)
    expect(error).toMatchObject({ code: 'unexpected_answer', status })
    expect(String(error)).not.toContain('hctl_secret')
  })

  test('rejects if a repeated response lacks its one-time secret', async () => {
    server.responders = [
      json(201, { webhook: { id }, secret: null }, { 'idempotency-replayed': 'true' }),
    ]
    const error = await errorOf(server.client().POST('/webhooks', { body }))
    expect(error).toMatchObject({
      code: 'secret_not_repeated',
      status: 201,
      body: { webhook: { id } },
    })
  })

  test('accepts a repeated response with a workload key, which has no token', async () => {
    const key = { id, workload: { issuer: 'https://gitlab.com' } }
    server.responders = [json(201, { key, token: null }, { 'idempotency-replayed': 'true' })]
    const made = await server.client().POST('/api-keys', { body: newKey })
    expect(made).toEqual({ key, token: null })
  })

  test('rejects if a repeated response lacks the token of another key', async () => {
    const key = { id, workload: null }
    server.responders = [json(201, { key, token: null }, { 'idempotency-replayed': 'true' })]
    const error = await errorOf(server.client().POST('/api-keys', { body: newKey }))
    expect(error).toMatchObject({ code: 'secret_not_repeated' })
  })

  test('rejects with a ConnectionError if there is no response', async () => {
    server.responders = [hangUp]
    const error = await errorOf(server.client({ retries: 0 }).GET('/auth/me'))
    expect(error).toBeInstanceOf(ConnectionError)
    expect((error as Error).cause).toMatchObject({ name: 'TypeError' })
  })

  test('rejects with a ConnectionError if an attempt times out', async () => {
    server.responders = [() => undefined]
    const error = await errorOf(server.client({ retries: 0, timeoutMs: 50 }).GET('/auth/me'))
    expect(error).toBeInstanceOf(ConnectionError)
    expect((error as Error).message).toContain('in time')
  })
})

test('createClient throws if the base URL is not a URL', () => {
  expect(() => createClient({ baseUrl: 'panel.example' })).toThrow('baseUrl is not an HTTP URL.')
})
