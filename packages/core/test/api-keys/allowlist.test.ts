import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { allowlistCovers, allowlistPermits, toAllowlist } from '../../src/api-keys/allowlist.ts'

describe('a list', () => {
  test('that is null or empty counts as no list', () => {
    expect(toAllowlist(null)).toBeNull()
    expect(toAllowlist([])).toBeNull()
  })

  test.each(['10.0.0.1/8', 'fe80::1%eth0', '010.0.0.1', '0x7f.1', '10/8', 'x', '', '::1/0'])(
    'with the entry %j is refused',
    (entry) => expect(() => toAllowlist(['10.0.0.0/8', entry])).toThrow(/^(is not|has)/),
  )
})

describe('a list permits', () => {
  test.each<[entries: string[] | null, ip: string, permitted: boolean]>([
    [null, '203.0.113.7', true],
    [null, '2001:db8::1', true],
    [['203.0.113.7'], '203.0.113.7', true],
    [['203.0.113.7'], '::ffff:203.0.113.7', true],
    [['::ffff:203.0.113.0/120'], '203.0.113.7', true],
    [['203.0.113.7'], '::203.0.113.7', false],
    [['203.0.113.7'], '203.0.113.6', false],
    [['203.0.113.0/24', '2001:db8::/32'], '2001:db8:ffff::', true],
    [['203.0.113.0/24', '2001:db8::/32'], '2001:db9::', false],
    [['0.0.0.0/0'], '::1', false],
    [['::/0'], '127.0.0.1', false],
    [['0.0.0.0/0', '::/0'], 'nonsense', false],
    [['0.0.0.0/0', '::/0'], '127.1', false],
    [['0.0.0.0/0', '::/0'], '', false],
  ])('%j, %s: %s', (entries, ip, permitted) => {
    expect(allowlistPermits(toAllowlist(entries), ip)).toBe(permitted)
  })
})

describe('a list covers another', () => {
  const covers = (outer: string[] | null, inner: string[] | null) =>
    allowlistCovers(toAllowlist(outer), toAllowlist(inner))

  test.each<[outer: string[] | null, inner: string[] | null, covered: boolean]>([
    [null, null, true],
    [null, ['10.0.0.0/8'], true],
    [['10.0.0.0/8'], null, false],
    [['0.0.0.0/0', '::/0'], null, false],
    [['10.0.0.0/8'], ['10.0.0.0/8'], true],
    [['10.0.0.0/8'], ['10.1.2.3', '10.255.0.0/16'], true],
    [['10.0.0.0/8'], ['10.1.2.3', '11.0.0.0'], false],
    [['10.0.0.0/8'], ['10.0.0.0/7'], false],
    [['10.0.0.0/8'], ['::ffff:10.0.0.0/104'], true],
    [['::/0'], ['10.0.0.0/8'], false],
    [['0.0.0.0/0'], ['::/0'], false],
    [['10.0.0.0/9', '10.128.0.0/9'], ['10.0.0.0/8'], true],
    [['10.0.0.0/9', '10.128.0.0/10'], ['10.0.0.0/8'], false],
    [['10.0.0.0/9', '10.128.0.0/10', '10.192.0.0/10'], ['10.0.0.0/8'], true],
    [['10.0.0.0/9', '10.0.0.0/10'], ['10.0.0.0/8'], false],
    [['2001:db8::/33', '2001:db8:8000::/33'], ['2001:db8::/32'], true],
    [['2001:db8::/33', '2001:db8:8000::/34'], ['2001:db8::/32'], false],
    [['203.0.113.6', '203.0.113.7'], ['203.0.113.6/31'], true],
    [['203.0.113.7'], ['203.0.113.6/31'], false],
  ])('%j, %j: %s', (outer, inner, covered) => expect(covers(outer, inner)).toBe(covered))

  /** Networks within 203.0.113.0/28, small enough to test every address. */
  const networks = fc
    .tuple(fc.nat(15), fc.integer({ min: 28, max: 32 }))
    .map(([host, prefix]) => `203.0.113.${host & (0xff << (32 - prefix)) & 15}/${prefix}`)
  const lists = fc.array(networks, { minLength: 1, maxLength: 6 })

  test('only if it permits every address that the other permits', () => {
    const addresses = Array.from({ length: 16 }, (_, host) => `203.0.113.${host}`)
    fc.assert(
      fc.property(lists, lists, (outer, inner) => {
        const [outerList, innerList] = [toAllowlist(outer), toAllowlist(inner)]
        const outside = addresses.some(
          (ip) => allowlistPermits(innerList, ip) && !allowlistPermits(outerList, ip),
        )
        expect(covers(outer, inner)).toBe(!outside)
      }),
      { numRuns: 1_000 },
    )
  })

  test('quickly, even with a hundred overlapping entries', () => {
    const chain = Array.from({ length: 100 }, (_, index) => {
      const first = (0xffffffffffffffffffffffffffffffffn << BigInt(127 - index)) & (2n ** 128n - 1n)
      const hex = (first ^ (1n << BigInt(127 - index))).toString(16).padStart(32, '0')
      return `${hex.match(/.{4}/g)!.join(':')}/${index + 1}`
    })
    const everything = Array.from({ length: 100 }, (_, prefix) => `::/${prefix}`)
    const before = process.cpuUsage()
    expect(covers(chain, everything)).toBe(false)
    expect(covers(everything, chain)).toBe(true)
    // CPU time of this process: other processes may use the machine meanwhile.
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(500)
  })
})
