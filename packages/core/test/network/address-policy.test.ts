import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { BlockList, isIPv4 } from 'node:net'
import {
  createAddressPolicy,
  refusedUnicast,
  specialPurpose,
} from '../../src/network/address-policy.ts'
import { parseNetwork } from '../../src/network/networks.ts'
import { publicAddresses, refusedAddresses, refusedBlocks } from './special-purpose.ts'

const policyOf = (own: string[], allowed: string[]) =>
  createAddressPolicy({ own: own.map(parseNetwork), allowed: allowed.map(parseNetwork) })

const plain = policyOf([], [])
const words = fc.array(fc.nat(0xffff), { minLength: 7, maxLength: 7 })
const ipv6Of = (parts: number[]): string => parts.map((part) => part.toString(16)).join(':')

/** Converts `10.0.0.1` to the two words `a00:1`. */
const wordsOf = (ipv4: string): string => {
  const [a, b, c, d] = ipv4.split('.').map(Number) as [number, number, number, number]
  return ipv6Of([a * 256 + b, c * 256 + d])
}

// One list per family: a common list would apply `::/8` to IPv4, too.
const blocked = { ipv4: new BlockList(), ipv6: new BlockList() }
test('the blocks below cover each range that is refused by itself', () => {
  const covered = new Set(refusedBlocks.map(([, cidr]) => cidr))
  const ranges = [...specialPurpose, ...refusedUnicast]
  expect(ranges.filter((range) => !covered.has(range))).toEqual([])
})

for (const [, cidr] of refusedBlocks) {
  const [first, prefix] = cidr.split('/') as [string, string]
  const family = isIPv4(first) ? 'ipv4' : 'ipv6'
  blocked[family].addSubnet(first, Number(prefix), family)
}

describe('an address that is not public', () => {
  test.each(refusedBlocks)('%s, %s, is refused from %s to %s', (_name, _cidr, first, last) => {
    expect(plain.permits(first, 'public')).toBe(false)
    expect(plain.permits(last, 'public')).toBe(false)
  })

  test.each(refusedAddresses)('%s, %s, is refused', (_name, address) => {
    expect(plain.permits(address, 'public')).toBe(false)
  })

  test.each(refusedBlocks.filter(([, , first]) => isIPv4(first)))(
    '%s, %s, is refused if embedded in IPv6',
    (_name, _cidr, ...ends) => {
      for (const end of ends) {
        const hex = wordsOf(end)
        expect(plain.permits(`::ffff:${end}`, 'public')).toBe(false)
        expect(plain.permits(`::ffff:${hex}`, 'public')).toBe(false)
        expect(plain.permits(`::${end}`, 'public')).toBe(false)
        expect(plain.permits(`64:ff9b::${end}`, 'public')).toBe(false)
        expect(plain.permits(`2002:${hex}::1`, 'public')).toBe(false)
      }
    },
  )

  test('in IPv6 is any address outside 2000::/3, except public IPv4 addresses that are mapped or translated', () => {
    const outside = fc.integer({ min: 0, max: 0xffff }).filter((word) => word >> 13 !== 1)
    fc.assert(
      fc.property(outside, words, (first, rest) => {
        fc.pre(!rest.join(':').startsWith('0:0:0:0:65535:'))
        fc.pre(!(first === 0x64 && rest.join(':').startsWith('65435:0:0:0:0:')))
        expect(plain.permits(ipv6Of([first, ...rest]), 'public')).toBe(false)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('a public address', () => {
  test.each(publicAddresses)('%s is permitted', (address) => {
    expect(plain.permits(address, 'public')).toBe(true)
  })

  test('of IPv4 is every address outside the blocks', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(plain.permits(address, 'public')).toBe(!blocked.ipv4.check(address))
      }),
      { numRuns: 5_000 },
    )
  })

  test('of IPv6 is every address of 2000::/3 outside the blocks', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0x2000, max: 0x3fff }), words, (first, rest) => {
        const address = ipv6Of([first, ...rest])
        expect(plain.permits(address, 'public')).toBe(!blocked.ipv6.check(address, 'ipv6'))
      }),
      { numRuns: 5_000 },
    )
  })
})

describe('an address of a NAT64, 64:ff9b::/96, is judged by the IPv4 address in it', () => {
  test('for every IPv4 address', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const translated = `64:ff9b::${wordsOf(address)}`
        expect(plain.permits(translated, 'public')).toBe(plain.permits(address, 'public'))
      }),
      { numRuns: 2_000 },
    )
  })

  test.each<[string, string, { own: string[]; allowed: string[] }, boolean]>([
    [
      '10.1.2.3 in an allowed network',
      '64:ff9b::10.1.2.3',
      { own: [], allowed: ['10.1.0.0/16'] },
      true,
    ],
    ['10.2.0.1 beside it', '64:ff9b::10.2.0.1', { own: [], allowed: ['10.1.0.0/16'] }, false],
    [
      'an own public address',
      '64:ff9b::203.0.114.9',
      { own: ['203.0.114.0/24'], allowed: [] },
      false,
    ],
    [
      'an own address that is allowed',
      '64:ff9b::10.1.2.3',
      { own: ['10.1.2.3'], allowed: ['10.0.0.0/8'] },
      false,
    ],
    [
      'loopback, though all of IPv6 is allowed',
      '64:ff9b::7f00:1',
      { own: [], allowed: ['::/0'] },
      false,
    ],
    [
      'an allowed address under a local prefix',
      '64:ff9b:1::10.1.2.3',
      { own: [], allowed: ['10.1.0.0/16'] },
      false,
    ],
  ])(
    'with OWN_NETWORKS and WEBHOOK_ALLOWED_NETWORKS: %s',
    (_what, address, { own, allowed }, permitted) => {
      expect(policyOf(own, allowed).permits(address, 'public')).toBe(permitted)
      expect(policyOf(own, allowed).permits(address, 'allowed-only')).toBe(permitted)
    },
  )
})

describe('a text that is not an address', () => {
  test.each([
    '',
    'example.com',
    '0x08080808',
    '8.8.8',
    '8.8.8.8.',
    '[2606:4700::1]',
    'fe80::1%eth0',
  ])('%j is refused, even if every network is allowed', (text) => {
    expect(plain.permits(text, 'public')).toBe(false)
    expect(policyOf([], ['0.0.0.0/0', '::/0']).permits(text, 'public')).toBe(false)
  })
})

describe('the allowed networks', () => {
  const allowing = policyOf([], ['10.1.0.0/16', 'fd00::/64', '127.0.0.1'])

  test.each([
    ['10.1.0.0', true],
    ['10.1.255.255', true],
    ['::ffff:10.1.2.3', true],
    ['fd00::1', true],
    ['127.0.0.1', true],
    ['10.2.0.0', false],
    ['fd00:0:0:1::1', false],
    ['127.0.0.2', false],
    ['192.168.0.1', false],
  ])('make %s public: %s', (address, permitted) => {
    expect(allowing.permits(address, 'public')).toBe(permitted)
    expect(allowing.permits(address, 'allowed-only')).toBe(permitted)
  })

  test('keep public addresses public', () => {
    expect(allowing.permits('8.8.8.8', 'public')).toBe(true)
    expect(allowing.permits('2606:4700::1', 'public')).toBe(true)
  })

  test.each(publicAddresses)(
    'do not let a URL that only the allowlist permits reach %s',
    (address) => {
      expect(allowing.permits(address, 'allowed-only')).toBe(false)
    },
  )

  test('let an allowed-only URL reach nothing if empty', () => {
    for (const address of [...publicAddresses, '127.0.0.1', '10.0.0.1', '::1']) {
      expect(plain.permits(address, 'allowed-only')).toBe(false)
    }
  })

  test('set allowsPrivate', () => {
    expect(allowing.allowsPrivate).toBe(true)
    expect(plain.allowsPrivate).toBe(false)
    expect(policyOf(['10.0.0.0/8'], []).allowsPrivate).toBe(false)
  })
})

describe('own networks', () => {
  const guarded = policyOf(['10.1.2.0/24', '8.8.8.0/24', '2606:4700::/32'], ['0.0.0.0/0', '::/0'])

  test.each([
    '10.1.2.3',
    '::ffff:10.1.2.3',
    '::ffff:a01:203',
    '8.8.8.8',
    '::ffff:8.8.8.8',
    '2606:4700::1',
  ])('refuse %s even if it is allowed', (address) => {
    expect(guarded.permits(address, 'public')).toBe(false)
    expect(guarded.permits(address, 'allowed-only')).toBe(false)
  })

  test('leave the other allowed addresses permitted', () => {
    expect(guarded.permits('10.1.3.3', 'allowed-only')).toBe(true)
    expect(guarded.permits('2606:4701::1', 'public')).toBe(true)
  })

  test('refuse public addresses if no network is allowed', () => {
    const own = policyOf(['8.8.8.8'], [])
    expect(own.permits('8.8.8.8', 'public')).toBe(false)
    expect(own.permits('8.8.4.4', 'public')).toBe(true)
  })
})
