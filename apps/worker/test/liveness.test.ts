import { createLogger } from '@hosting/process'
import { startWorker, type RunningWorker } from '@hosting/worker'
import { afterAll, beforeAll, test } from '@jest/globals'
import { testConfig } from '../../../test/support/environment.ts'
import { expectLivenessToFollowRedis, fastLiveness } from '../../../test/support/liveness.ts'
import { makeOwnStack, type OwnStack } from '../../../test/support/own-stack.ts'
import { startTcpProxy, type TcpProxy } from '../../../test/support/tcp-proxy.ts'

let stack: OwnStack
let proxy: TcpProxy
let worker: RunningWorker
beforeAll(async () => {
  stack = await makeOwnStack()
  proxy = await startTcpProxy(() => stack.redisUrl)
  const config = testConfig({ DATABASE_URL: stack.databaseUrl, REDIS_URL: proxy.url })
  worker = await startWorker(config, createLogger('worker', 'silent'), { liveness: fastLiveness })
})
afterAll(async () => {
  await worker.close()
  await proxy.close()
  await stack.remove()
})

test('a worker whose Redis connections are dead and not replaced fails /healthz until they work again', async () => {
  await expectLivenessToFollowRedis(worker, proxy)
})
