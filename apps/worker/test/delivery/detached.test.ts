import { expect, test } from '@jest/globals'
import { createDetach } from '../../src/delivery/lanes.ts'
import { createTenantShares } from '../../src/delivery/tenant-shares.ts'
import { createMetrics } from '../../src/metrics.ts'
import type { Services } from '../../src/services.ts'

const workerConcurrency = 2
/** docs/specification/fairness.md */
const detachedMax = 10 * workerConcurrency

function makeLane() {
  const metrics = createMetrics()
  const detachIfLong = createDetach({
    config: { workerConcurrency },
    metrics,
    tenantShares: createTenantShares(workerConcurrency),
  } as Services)
  const readDetached = async () => (await metrics.attemptsInProgress.get()).values[0]?.value
  /** Starts an attempt that waits for the lookup of its name. `left`: it no longer occupies its slot. */
  const start = () => {
    const { promise, resolve: end } = Promise.withResolvers<void>()
    const attempt = { taken: { tenantId: 'tenant' }, slow: Promise.resolve() } as Parameters<
      typeof detachIfLong
    >[1]
    const state = { left: false, end }
    const leave = async () => {
      await detachIfLong(promise, attempt)
      state.left = true
    }
    return { state, left: leave(), ended: promise }
  }
  return { start, readDetached }
}

test('a worker detaches up to ten times the slots of its lane, and further attempts keep their slots', async () => {
  const { start, readDetached } = makeLane()
  const detached = Array.from({ length: detachedMax }, start)
  await Promise.all(detached.map(({ left }) => left))
  expect(await readDetached()).toBe(detachedMax)

  const further = start()
  await new Promise(setImmediate)
  expect(further.state.left).toBe(false)
  further.state.end()
  await further.left
  expect(await readDetached()).toBe(detachedMax)

  detached[0]!.state.end()
  await detached[0]!.ended
  const next = start()
  await next.left
  expect(await readDetached()).toBe(detachedMax)
})
