import { createLogger } from '@hosting/process'
import { startWorker, type RunningWorker } from '@hosting/worker'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { makeOwnStack, type OwnStack } from '../../../../test/support/own-stack.ts'
import { until } from '../../../../test/support/until.ts'
import { loadConfig } from '@hosting/core/configuration'
import { basic, opsToken } from './operators.ts'

let stack: OwnStack
let workers: Record<'on' | 'off', RunningWorker>
beforeAll(async () => {
  stack = await makeOwnStack()
  const start = (further: Record<string, string> = {}) =>
    startWorker(loadConfig({ ...stack.environment, ...further }), createLogger('worker', 'silent'))
  workers = { on: await start({ OPS_TOKEN: opsToken }), off: await start() }
  // It can show queues once it is connected to Redis.
  await until(
    () => call('/queues', basic(opsToken)),
    ({ status }) => status === 200,
  )
})
afterAll(async () => {
  await Promise.all(Object.values(workers ?? {}).map((worker) => worker.close()))
  await stack.remove()
})

const call = (path: string, authorization?: string, method = 'GET', worker = workers.on) =>
  fetch(`http://127.0.0.1:${worker.internalPort}${path}`, {
    method,
    redirect: 'manual',
    headers: { ...(authorization !== undefined && { authorization }) },
  })

const paths = [
  '/',
  '/operations',
  '/operations/runbook',
  '/queues',
  '/queues/api/queues',
  '/queues/static/images/logo.svg',
]

describe.each(paths)('%s', (path) => {
  test.each([
    ['nothing', undefined],
    ['a wrong token', basic('wrong')],
    ['the token as the name', basic('', opsToken)],
    ['the token with something after it', basic(`${opsToken}x`)],
    ['an empty token', basic('')],
    ['a Bearer token', `Bearer ${opsToken}`],
    ['invalid Base64', 'Basic %%%'],
    ['no colon', `Basic ${Buffer.from(opsToken).toString('base64')}`],
  ])('401 for %s, with a challenge', async (_name, authorization) => {
    const response = await call(path, authorization)
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe(
      'Basic realm="operations", charset="UTF-8"',
    )
    expect(await response.text()).not.toContain(opsToken)
  })

  test.each(['', 'anybody', 'ops'])('accepts the token with the user name "%s"', async (name) => {
    const { status, headers } = await call(path, basic(opsToken, name))
    expect([status, headers.get('location')]).toEqual(
      path === '/' ? [302, '/operations'] : [200, null],
    )
    expect((await call(path, basic(opsToken, name), 'HEAD')).status).toBe(status)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.has('x-powered-by')).toBe(false)
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('405 for %s', async (method) => {
    const response = await call(path, basic(opsToken), method)
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  test('404 without OPS_TOKEN, whatever the credentials', async () => {
    for (const authorization of [undefined, basic(''), basic('undefined'), basic(opsToken)]) {
      const response = await call(path, authorization, 'GET', workers.off)
      expect(response.status).toBe(404)
      expect(await response.json()).toEqual({ status: 'not_found' })
    }
  })
})

test('a token may contain a colon', async () => {
  const stackOfColon = { ...stack.environment, OPS_TOKEN: 'a:b:c' }
  const worker = await startWorker(loadConfig(stackOfColon), createLogger('worker', 'silent'))
  const statuses = [basic('a:b:c'), basic('a')].map(
    async (authorization) => (await call('/operations', authorization, 'GET', worker)).status,
  )
  expect(await Promise.all(statuses)).toEqual([200, 401])
  await worker.close()
})

test.each(['/metrics', '/healthz', '/readyz'])('%s requires no token', async (path) => {
  for (const worker of Object.values(workers)) {
    const { headers } = await call(path, undefined, 'GET', worker)
    expect(headers.has('www-authenticate')).toBe(false)
  }
  expect((await call('/healthz')).status).toBe(200)
})

test('other paths are 404, with and without a token', async () => {
  for (const authorization of [undefined, basic(opsToken)]) {
    expect((await call('/nothing', authorization)).status).toBe(404)
  }
})

test.each(['/queues/api/queues/%ZZ/workers', '/queues/static/%ZZ', '/operations/%ZZ'])(
  '%s is malformed and is refused without exposing internals',
  async (path) => {
    const response = await call(path, basic(opsToken))
    expect([400, 404]).toContain(response.status)
    expect(await response.text()).not.toMatch(/URIError|node_modules|at /)
  },
)
