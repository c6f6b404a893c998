import { startApi, type RunningApi } from '@hosting/api'
import { createLogger } from '@hosting/process'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { testConfig, testEnvironment } from '../../../../test/support/environment.ts'
import { preventReconnects } from '../../../../test/support/liveness.ts'
import { readiness } from '../../../../test/support/observe.ts'
import { startTcpProxy, type TcpProxy } from '../../../../test/support/tcp-proxy.ts'
import { until } from '../../../../test/support/until.ts'

let proxy: TcpProxy
let api: RunningApi
beforeAll(async () => {
  proxy = await startTcpProxy(() => testEnvironment()['REDIS_URL']!)
  const liveness = { everyMs: 100, deadChecksMax: 3 }
  const config = testConfig({ REDIS_URL: proxy.url })
  api = await startApi(config, createLogger('api', 'silent'), { liveness })
})
afterAll(async () => {
  await api.close()
  await proxy.close()
})

const readHealth = async () => {
  const response = await fetch(`http://127.0.0.1:${api.internalPort}/healthz`)
  return { status: response.status, body: await response.json() }
}
const untilStatus = (status: number) => until(readHealth, (health) => health.status === status)

test('an API whose connections to Redis are dead and not replaced must be restarted, until they work again', async () => {
  // Every connection is open, so every one falls silent.
  await until(
    () => readiness(api),
    ({ status }) => status === 200,
  )
  expect(await readHealth()).toEqual({ status: 200, body: { status: 'ok' } })
  const allowReconnects = preventReconnects()
  proxy.silence()
  expect((await untilStatus(503)).body).toEqual({
    status: 'unavailable',
    reason: 'No connection of this process to Redis works, but a new one does.',
  })
  allowReconnects()
  await untilStatus(200)
})
