import { afterAll, describe, expect, test } from '@jest/globals'
import request from 'supertest'
import { useApi, type TestApi } from '../../../../test/support/api.ts'
import { serviceToken, testEnvironment } from '../../../../test/support/environment.ts'
import { buildEvent } from '../support/events.ts'
import { startTcpProxy } from '../../../../test/support/tcp-proxy.ts'
import { refusalOf } from '../support/refusals.ts'
import { until } from '../support/until.ts'

const api = useApi()
const get = (path: string, of: TestApi = api) => request(of.internalUrl).get(path)

const redisIs = (of: TestApi, state: string) =>
  until(`Redis is ${state}`, async () => {
    const { body } = await get('/readyz', of)
    return body.checks.redis === state
  })

describe('/healthz', () => {
  test('200 without a token, with a valid one and with a wrong one', async () => {
    for (const token of ['', serviceToken, 'wrong']) {
      const { status, body } = await get('/healthz').set('Authorization', `Bearer ${token}`)
      expect({ status, body }).toEqual({ status: 200, body: { status: 'ok' } })
    }
  })
})

describe('/readyz', () => {
  test('200 ok without a token if every dependency is available', async () => {
    const all = {
      database: 'ok',
      database_writable: 'ok',
      redis: 'ok',
      notifications: 'ok',
      clock: 'ok',
    }
    await until('all is ok', async () => (await get('/readyz')).body.status === 'ok')
    const { status, body } = await get('/readyz')
    expect({ status, body }).toMatchObject({ status: 200, body: { status: 'ok', checks: all } })
  })
})

const proxy = await startTcpProxy(() => testEnvironment()['REDIS_URL']!)
proxy.sever()

describe('/readyz without Redis', () => {
  const lonely = useApi({ REDIS_URL: proxy.url })
  afterAll(() => proxy.close())

  test('200 degraded without Redis, even after it was available, and ok with Redis', async () => {
    const degraded = {
      status: 'degraded',
      checks: {
        database: 'ok',
        database_writable: 'ok',
        redis: 'degraded',
        notifications: 'ok',
        clock: 'ok',
      },
    }
    await until(
      'notifications are heard',
      async () => (await get('/readyz', lonely)).body.checks.notifications === 'ok',
    )
    const first = await get('/readyz', lonely)
    expect({ status: first.status, body: first.body }).toMatchObject({
      status: 200,
      body: degraded,
    })
    proxy.restore()
    await redisIs(lonely, 'ok')
    proxy.sever()
    await redisIs(lonely, 'degraded')
    const again = await get('/readyz', lonely)
    expect({ status: again.status, body: again.body }).toMatchObject({
      status: 200,
      body: degraded,
    })
    proxy.restore()
    await redisIs(lonely, 'ok')
  })
})

describe('/metrics', () => {
  const metrics = async () => {
    const { status, headers, text } = await get('/metrics')
    expect(status).toBe(200)
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
    return text
  }
  const valueOf = (text: string, name: string): number =>
    Number(new RegExp(`^${name}(?:{[^}]*})? (.*)$`, 'm').exec(text)?.[1] ?? 0)

  test('200 without a token, with the metrics of the process and its requests', async () => {
    await api.call('get', '/auth/me')
    const text = await metrics()
    expect(text).toMatch(/^process_cpu_seconds_total \d/m)
    expect(text).toMatch(
      /^hosting_api_request_seconds_count{operation="auth\.me",status="401"} [1-9]/m,
    )
  })

  test('unknown paths share one label, so that callers cannot create series', async () => {
    await request(api.url).get('/api/v1/scanned-by-someone')
    await request(api.url).get('/api/v1/auth/%zz')
    const text = await metrics()
    expect(text).toContain('operation="none",status="404"')
    expect(text).not.toContain('scanned')
  })

  test('published events and their deliveries are counted when they are accepted', async () => {
    const { id } = await api.makeTenant()
    const before = valueOf(await metrics(), 'hosting_events_published_total')
    await api.callInternal('post', '/events', { events: [buildEvent(id), buildEvent(id)] })
    await api.callInternal('post', '/events', { ...buildEvent(id), type: 'x' })
    expect(valueOf(await metrics(), 'hosting_events_published_total')).toBe(before + 2)
  })
})

describe('an internal listener without configured tokens', () => {
  const closed = useApi({ INTERNAL_TOKENS: '' })

  test.each([
    ['authentication_required', 'Bearer'],
    ['invalid_service_token', 'Bearer undefined'],
    ['invalid_service_token', `Bearer ${serviceToken}`],
  ])('401 %s for %s', async (code, authorization) => {
    const response = await request(closed.internalUrl)
      .delete('/internal/v1/tenants/00000000-0000-4000-8000-000000000000')
      .set('Authorization', authorization)
    expect(refusalOf(response)).toEqual({ status: 401, code })
  })
})
