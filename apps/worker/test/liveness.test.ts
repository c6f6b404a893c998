import { createLogger } from '@hosting/process'
import { startWorker, type RunningWorker } from '@hosting/worker'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { testConfig } from '../../../test/support/environment.ts'
import { preventReconnects } from '../../../test/support/liveness.ts'
import { makeOwnStack, type OwnStack } from '../../../test/support/own-stack.ts'
import { readiness } from '../../../test/support/observe.ts'
import { startTcpProxy, type TcpProxy } from '../../../test/support/tcp-proxy.ts'
import { until } from '../../../test/support/until.ts'

let stack: OwnStack
let proxy: TcpProxy
let worker: RunningWorker
beforeAll(async () => {
  stack = await makeOwnStack()
  proxy = await startTcpProxy(() => stack.redisUrl)
  const config = testConfig({ DATABASE_URL: stack.databaseUrl, REDIS_URL: proxy.url })
  const liveness = { everyMs: 100, deadChecksMax: 3 }
  worker = await startWorker(config, createLogger('worker', 'silent'), { liveness })
})
afterAll(async () => {
  await worker.close()
  await proxy.close()
  await stack.remove()
})

const readHealth = async () => {
  const response = await fetch(`http://127.0.0.1:${worker.internalPort}/healthz`)
  return { status: response.status, body: await response.json() }
}
const untilStatus = (status: number) => until(readHealth, (health) => health.status === status)

test('a worker whose connections to Redis are dead and not replaced must be restarted, until they work again', async () => {
  // Every connection is open, so every one falls silent.
  await until(
    () => readiness(worker),
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
