import { startApi, type RunningApi } from '@hosting/api'
import { createLogger } from '@hosting/process'
import { afterAll, beforeAll, test } from '@jest/globals'
import { testConfig, testEnvironment } from '../../../../test/support/environment.ts'
import { expectLivenessToFollowRedis, fastLiveness } from '../../../../test/support/liveness.ts'
import { startTcpProxy, type TcpProxy } from '../../../../test/support/tcp-proxy.ts'

let proxy: TcpProxy
let api: RunningApi
beforeAll(async () => {
  proxy = await startTcpProxy(() => testEnvironment()['REDIS_URL']!)
  const config = testConfig({ REDIS_URL: proxy.url })
  api = await startApi(config, createLogger('api', 'silent'), { liveness: fastLiveness })
})
afterAll(async () => {
  await api.close()
  await proxy.close()
})

test('an API whose Redis connections are dead and not replaced fails /healthz until they work again', async () => {
  await expectLivenessToFollowRedis(api, proxy)
})
