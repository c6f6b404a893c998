import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { listen, type TestListener } from '../../support/listener.ts'
import { until, useStack } from '../../support/stack.ts'
import { toolchains } from '../support/toolchain.ts'
import { startEnvoy, startHttpHaproxy, type StreamProxy } from './stream-proxies.ts'

// docs/operations.md#many-machines, "HTTP proxies"
const heartbeatMs = 400
const stack = useStack({
  LISTEN_HEARTBEAT_SECONDS: String(heartbeatMs / 1_000),
  TRUSTED_PROXIES: '127.0.0.0/8',
})
let token: string
let proxy: StreamProxy

beforeAll(async () => {
  token = (await (await stack.api.makeTenant()).makeKey()).token
})
afterEach(() => proxy?.stop())

const listenAt = async (url: string): Promise<TestListener> =>
  (await until(
    () => listen(url, { authorization: `Bearer ${token}` }),
    (given) => 'secret' in given,
  )) as TestListener

/** Waits until a proxy has ended a stream. Returns how long it lived, in ms. */
async function untilCut(listener: TestListener): Promise<number> {
  const startedAt = performance.now()
  for (;;) {
    const isAlive = await listener.heartbeat().then(
      () => true,
      () => false,
    )
    if (!isAlive) return performance.now() - startedAt
  }
}

toolchains.python.test(
  'Envoy ends a stream after its default of 15 s, and not with a timeout of 0',
  async () => {
    proxy = await startEnvoy(stack.api.url, [undefined, '0s'])
    const [cut, lasting] = await Promise.all(proxy.urls.map(listenAt))
    const livedMs = await untilCut(cut!)
    expect(livedMs).toBeGreaterThan(10_000)
    expect(livedMs).toBeLessThan(60_000)
    await lasting!.heartbeat()
    await lasting!.heartbeat()
    await lasting!.leave()
  },
)

test('HAProxy ends a stream if its timeout is shorter than the time between two heartbeats, and not if it is longer', async () => {
  proxy = await startHttpHaproxy(stack.api.url, [heartbeatMs / 4, heartbeatMs * 20])
  const [cut, lasting] = await Promise.all(proxy.urls.map(listenAt))
  expect(await untilCut(cut!)).toBeLessThan(60_000)
  for (let beat = 0; beat < 10; beat++) await lasting!.heartbeat()
  await lasting!.leave()
})
