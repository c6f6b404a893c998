import { describe, expect, test } from '@jest/globals'
import { createTenantShares } from '../../src/delivery/tenant-shares.ts'

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
