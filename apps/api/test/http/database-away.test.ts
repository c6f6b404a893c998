import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import request from 'supertest'
import { useApi, type TestTenant } from '../../../../test/support/api.ts'
import { testEnvironment } from '../../../../test/support/environment.ts'
import { buildEvent, countEventRows, noEventRows } from '../support/events.ts'
import { startTcpProxy } from '../../../../test/support/tcp-proxy.ts'
import { refusalOf } from '../support/refusals.ts'
import { until } from '../support/until.ts'

const proxy = await startTcpProxy(() => testEnvironment()['DATABASE_URL']!)
const api = useApi({ DATABASE_URL: proxy.url })

let tenant: TestTenant
let token = ''
beforeAll(async () => {
  ;({ tenant, token } = await api.makeAdmin())
})
afterAll(() => proxy.close())

const unavailable = { status: 503, code: 'service_unavailable' }

const requests = {
  'a request with a key': () => api.call('get', '/auth/me', { token }),
  'a change of the directory': () =>
    api.callInternal('put', `/tenants/${randomUUID()}`, { slug: randomUUID(), name: 'Acme' }),
  'a published event': () => api.callInternal('post', '/events', buildEvent(tenant.id)),
}

describe('while the database is unavailable', () => {
  beforeAll(() => proxy.sever())
  afterAll(() => proxy.restore())

  test.each(Object.entries(requests))(
    '503 service_unavailable with Retry-After for %s',
    async (_what, send) => {
      for (let time = 0; time < 3; time++) {
        const response = await send()
        expect(refusalOf(response)).toEqual(unavailable)
        expect(response.headers['retry-after']).toMatch(/^[1-9]\d*$/)
        expect(response.text).not.toMatch(/ECONN|postgres|prisma/i)
      }
    },
  )

  test('requests that are refused without a query get their usual response', async () => {
    expect(refusalOf(await api.call('get', '/auth/me'))).toEqual({
      status: 401,
      code: 'authentication_required',
    })
    expect((await api.call('get', '/auth/me', { token: 'nonsense' })).status).toBe(401)
    expect((await request(api.url).get('/docs')).status).toBe(200)
  })

  test('/readyz is 503 and /healthz is 200', async () => {
    const ready = await request(api.internalUrl).get('/readyz')
    expect(ready.status).toBe(503)
    expect(ready.body).toMatchObject({
      status: 'unavailable',
      checks: { database: 'unavailable' },
    })
    expect((await request(api.internalUrl).get('/healthz')).status).toBe(200)
    expect((await request(api.internalUrl).get('/metrics')).status).toBe(200)
  })
})

describe('after the database has recovered', () => {
  test('every request succeeds again, and nothing from the refused requests was stored', async () => {
    await until(
      'it responds',
      async () => (await requests['a request with a key']()).status === 200,
    )
    expect(await countEventRows(api, tenant.id)).toEqual(noEventRows)
    expect((await requests['a change of the directory']()).status).toBe(201)
    expect((await requests['a published event']()).status).toBe(202)
    expect((await request(api.internalUrl).get('/readyz')).status).toBe(200)
  })
})
