import { createApp, mountEnd, mountRoutes, read, type Services } from '@hosting/api'
import { Problem } from '@hosting/core/problems'
import { listen, type Listener, type Logger } from '@hosting/process'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import request from 'supertest'
import { Type } from 'typebox'
import { testConfig } from '../../../../test/support/environment.ts'
import { expectGuarded } from '../../../../test/support/guarded.ts'

const failures: Record<string, () => unknown> = {
  error: () => new Error('the password is hunter2'),
  text: () => 'the password is hunter2',
  nothing: () => undefined,
  null: () => null,
  status: () => Object.assign(new Error('hunter2'), { status: 418, expose: true }),
  headers: () => Object.assign(new Error('hunter2'), { headers: { 'X-Secret': 'hunter2' } }),
}

interface LogEntry {
  readonly err?: unknown
  readonly requestId?: string
}

const logged: LogEntry[] = []
const keep = (entry: LogEntry) => {
  logged.push(entry)
}
const log = { error: keep, warn: keep } as unknown as Logger

const common = {
  auth: 'none',
  summary: 'Fails',
  returns: { status: 200, description: '', schema: Type.Object({}) },
  problems: [],
} as const
const routes = [
  read({
    ...common,
    operationId: 'fail',
    path: '/fail/:how',
    params: Type.Object({ how: Type.String() }),
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- whatever may be thrown
    handle: ({ params }) => Promise.reject(failures[params.how]!()),
  }),
  read({
    ...common,
    operationId: 'throw',
    path: '/throw',
    handle: () => {
      throw new Error('hunter2')
    },
  }),
  read({
    ...common,
    operationId: 'circle',
    path: '/circle',
    handle: () => {
      const circle: Record<string, unknown> = {}
      return Promise.resolve(Object.assign(circle, { circle }))
    },
  }),
  read({
    ...common,
    operationId: 'refuse',
    path: '/refuse',
    handle: () => Promise.reject(new Problem('conflict', { facts: { reason: 'it is taken.' } })),
  }),
]

let listener: Listener
beforeAll(async () => {
  const app = createApp()
  mountRoutes(app, '/api', routes, {
    services: { config: testConfig() } as Services,
    authenticator: {
      admit: () => Promise.resolve(undefined),
      requireStillAdmitted: () => Promise.resolve(undefined),
      recordRefusal: () => Promise.resolve(),
      recordLoss: () => Promise.resolve(),
      nameCaller: () => undefined,
      readerOf: () => undefined,
    },
    bodyBytesMax: 1_024,
  })
  mountEnd(app, log)
  listener = await listen(app, { host: '127.0.0.1', port: 0 })
})
afterAll(() => listener.close())
beforeEach(() => {
  logged.length = 0
})

const send = (path: string) => request(`http://127.0.0.1:${listener.port}`).get(path)

describe('a handler with a defect', () => {
  test.each([
    ...Object.keys(failures).map((how) => `/api/fail/${how}`),
    '/api/throw',
    '/api/circle',
  ])('500 internal_error does not reveal %s, and the log has it once', async (path) => {
    const { status, headers, body, text } = await send(path)
    expect(status).toBe(500)
    expect(headers['content-type']).toBe('application/problem+json')
    expectGuarded(headers)
    expect(body).toEqual({
      type: '/problems/internal_error',
      title: 'Internal error',
      status: 500,
      detail: expect.any(String),
      instance: path,
      code: 'internal_error',
      request_id: headers['x-request-id'],
    })
    expect(text + JSON.stringify(headers)).not.toContain('hunter2')
    expect(logged).toHaveLength(1)
    expect(logged[0]).toHaveProperty('err')
    expect(logged[0]!.requestId).toBe(headers['x-request-id'])
  })

  test('the next request gets its usual response', async () => {
    await send('/api/throw')
    expect((await send('/api/refuse')).status).toBe(409)
  })
})

test('a response that fails after it has started is aborted and logged with its request id', async () => {
  const app = createApp()
  app.get('/half', (_req, res) => {
    res.write('half')
    throw new Error('hunter2')
  })
  mountEnd(app, log)
  const begun = await listen(app, { host: '127.0.0.1', port: 0 })
  const text = fetch(`http://127.0.0.1:${begun.port}/half`).then((response) => response.text())
  await expect(text).rejects.toThrow(/terminated|fetch failed/)
  expect(logged).toEqual([{ err: expect.any(Error), requestId: expect.any(String) }])
  await begun.close()
})

test('a refusal is not a defect: it is sent but not logged', async () => {
  const { status, body } = await send('/api/refuse')
  expect(status).toBe(409)
  expect(body).toMatchObject({ code: 'conflict', detail: expect.stringContaining('it is taken.') })
  expect(logged).toEqual([])
})
