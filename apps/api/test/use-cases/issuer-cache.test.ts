import { describe, expect, test } from '@jest/globals'
import { createIssuerCache } from '../../src/api/issuers/issuer-cache.ts'

const kib = 1_024
const minute = 60_000

function start({ perTenant = 10 * kib, total = 100 * kib } = {}) {
  let time = 0
  let created = 0
  const limits = { perTenant, total, keptMs: 60 * minute, now: () => time }
  const cache = createIssuerCache(() => ({ id: ++created }), limits)
  return {
    cache,
    pass: (ms: number) => void (time += ms),
    /** Uses an issuer whose keys take some memory. */
    fill(tenant: string, issuer: string, bytes: number) {
      const state = cache.use(tenant, issuer)
      cache.resize(issuer, state, bytes)
      return state
    },
  }
}

describe('the cache of issuers', () => {
  test('is shared by organizations', () => {
    const { cache } = start()
    expect(cache.use('one', 'a')).toBe(cache.use('other', 'a'))
  })

  test('holds at most the share of an organization, which forgets what it has not used for longest', () => {
    const { cache, fill } = start()
    const [first, second] = [fill('one', 'a', 3 * kib), fill('one', 'b', 3 * kib)]
    cache.use('one', 'a')
    fill('one', 'c', 3 * kib)
    expect(cache.use('one', 'a')).toBe(first)
    expect(cache.use('one', 'b')).not.toBe(second)
    expect(cache.bytes).toBeLessThan(11 * kib)
  })

  test('counts issuers without keys, so failures are limited as well', () => {
    const { cache } = start()
    for (let index = 0; index < 1_000; index++) cache.use('one', `https://issuer-${index}.example`)
    expect(cache.bytes).toBeLessThanOrEqual(10 * kib)
  })

  test('keeps what another organization uses, whatever an organization does', () => {
    const { cache, fill } = start()
    const victims = fill('victim', 'shared', 2 * kib)
    for (let tenant = 0; tenant < 20; tenant++) {
      cache.use(`attacker ${tenant}`, 'shared')
      for (let index = 0; index < 20; index++) fill(`attacker ${tenant}`, `${tenant} ${index}`, kib)
      expect(cache.bytes).toBeLessThanOrEqual(100 * kib)
    }
    expect(cache.use('victim', 'shared')).toBe(victims)
  })

  test('frees what the organization that uses most has not used for longest, if all use too much', () => {
    const { cache, fill } = start({ total: 14 * kib })
    const small = fill('small', 'a', kib)
    const [old, young] = [fill('large', 'b', 3 * kib), fill('large', 'c', 3 * kib)]
    fill('new', 'd', 2 * kib)
    expect(cache.use('small', 'a')).toBe(small)
    expect(cache.use('large', 'c')).toBe(young)
    expect(cache.use('large', 'b')).not.toBe(old)
  })

  test('forgets what was not used for an hour', () => {
    const { cache, fill, pass } = start()
    const state = fill('one', 'a', kib)
    const bytes = cache.bytes
    pass(59 * minute)
    cache.use('one', 'b')
    expect(cache.bytes).toBeGreaterThan(bytes)
    pass(minute)
    cache.use('one', 'b')
    expect(cache.bytes).toBeLessThan(bytes)
    expect(cache.use('one', 'a')).not.toBe(state)
  })

  test('ignores the size of a state that was forgotten', () => {
    const { cache, fill, pass } = start()
    const state = fill('one', 'a', kib)
    pass(60 * minute)
    cache.use('one', 'b')
    const bytes = cache.bytes
    cache.resize('a', state, 5 * kib)
    expect(cache.bytes).toBe(bytes)
  })
})
