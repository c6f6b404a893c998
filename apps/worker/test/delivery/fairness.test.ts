import { describe, expect, test } from '@jest/globals'
import { createDetach, createTenantShares } from '../../src/delivery/fairness.ts'
import { createMetrics } from '../../src/metrics.ts'

const laneMax = 100
/** The detached attempts from which a tenant counts as one with many long attempts. */
const longMin = 5

function makeShares() {
  const shares = createTenantShares(laneMax)
  const enterMany = (tenantId: string, count: number): number =>
    Array.from({ length: count }, () => shares.enter(tenantId)).filter(Boolean).length
  const slowDown = (tenantId: string): void => {
    for (let count = 0; count < longMin; count++) shares.startDetached(tenantId)
  }
  return { shares, enterMany, slowDown }
}

describe('the normal lane', () => {
  test('is open to a tenant whose attempts are short', () => {
    const { shares, enterMany } = makeShares()
    for (let count = 0; count < longMin - 1; count++) shares.startDetached('fast')
    expect(enterMany('fast', laneMax)).toBe(laneMax)
    expect(shares.tenantsWithoutShare()).toEqual([])
  })

  test('gives all tenants with many long attempts together at most half of its slots, and stays open to the others', () => {
    const { shares, enterMany, slowDown } = makeShares()
    const slow = Array.from({ length: 10 }, (_, index) => `slow-${index}`)
    for (const tenantId of slow) slowDown(tenantId)
    const entered = slow.map((tenantId) => enterMany(tenantId, 20))
    expect(entered.reduce((sum, count) => sum + count, 0)).toBe(laneMax / 2)
    expect(shares.tenantsWithoutShare()).toEqual(slow)
    expect(enterMany('healthy', laneMax / 2)).toBe(laneMax / 2)
  })

  test('opens to such a tenant again when its attempts end, leave the lane or are detached', () => {
    const { shares, enterMany, slowDown } = makeShares()
    slowDown('slow')
    expect(enterMany('slow', laneMax)).toBe(laneMax / 2)
    shares.leave('slow')
    expect(shares.tenantsWithoutShare()).toEqual([])
    expect(enterMany('slow', 2)).toBe(1)
    expect(shares.tenantsWithoutShare()).toEqual(['slow'])
    shares.endDetached('slow')
    expect(shares.tenantsWithoutShare()).toEqual([])
    expect(enterMany('slow', 10)).toBe(10)
  })
})

const workerConcurrency = 2
/** docs/specification/fairness.md */
const detachedMax = 10 * workerConcurrency

function makeLane() {
  const metrics = createMetrics()
  const detachIfLong = createDetach({
    config: { workerConcurrency },
    metrics,
    tenantShares: createTenantShares(workerConcurrency),
  })
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
