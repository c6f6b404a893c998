import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { BlockList, isIPv4 } from 'node:net'
import {
  formatNetwork,
  networkContains,
  parseAddress,
  parseNetwork,
} from '../../src/network/networks.ts'

describe('an address', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['0.0.0.0', '0.0.0.0'],
    ['2001:DB8::1', '2001:db8::1'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
    ['::', '::'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
    ['::203.0.113.7', '::cb00:7107'],
    ['::ffff:0:203.0.113.7', '::ffff:0:cb00:7107'],
    ['64:ff9b::203.0.113.7', '64:ff9b::cb00:7107'],
  ])('%s is read as %s', (text, canonical) => {
    expect(parseAddress(text)?.toString()).toBe(canonical)
  })

  test.each([
    '',
    ' ',
    'localhost',
    '1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '127.0.0.01',
    '010.0.0.1',
    '127.0.0.1.',
    '.127.0.0.1',
    '127..0.1',
    '1.2.3.4.5',
    '256.0.0.1',
    '-1.0.0.1',
    '1.2.3.4 ',
    ' 1.2.3.4',
    '1.2.3.4/32',
    '1.2.3.4:80',
    '１２７.0.0.1',
    '[::1]',
    '::1%lo',
    'fe80::1%eth0',
    '::1%25lo',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '12345::',
    '::g',
    '::ffff:1.2.3',
    '::ffff:010.0.0.1',
    '::ffff:1.2.3.256',
    '1.2.3.4::',
  ])('is not read from %j', (text) => expect(parseAddress(text)).toBeUndefined())

  test('of IPv6 is the same address in every notation', () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const read = parseAddress(text)!
        const same = new BlockList()
        same.addAddress(text, 'ipv6')
        expect(same.check(read.toString(), read.kind())).toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })

  test('of IPv4 keeps its text', () => {
    fc.assert(fc.property(fc.ipV4(), (text) => expect(parseAddress(text)?.toString()).toBe(text)))
  })
})

describe('a network', () => {
  test.each([
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['203.0.113.7/32', '203.0.113.7/32'],
    ['203.0.113.7', '203.0.113.7/32'],
    ['203.0.113.6/31', '203.0.113.6/31'],
    ['128.0.0.0/1', '128.0.0.0/1'],
    ['::/0', '::/0'],
    ['2001:DB8::/32', '2001:db8::/32'],
    ['2001:db8::1', '2001:db8::1/128'],
    ['2001:db8::1/128', '2001:db8::1/128'],
    ['2001:db8::2/127', '2001:db8::2/127'],
    ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
    ['::ffff:203.0.113.7', '203.0.113.7/32'],
    ['::ffff:203.0.113.7/128', '203.0.113.7/32'],
    ['::ffff:0:0/96', '0.0.0.0/0'],
    ['::203.0.113.7/128', '::cb00:7107/128'],
  ])('%s is read as %s', (text, canonical) => {
    expect(formatNetwork(parseNetwork(text))).toBe(canonical)
  })

  test.each([
    '10.0.0.1/8',
    '10.0.0.0/6',
    '203.0.113.7/31',
    '203.0.113.255/24',
    '1.0.0.0/0',
    '128.0.0.0/0',
    '255.255.255.255/31',
    '2001:db8::1/127',
    '2001:db8::1/32',
    '::1/0',
    '8000::/0',
    '2001:db8:8000::/32',
    '::ffff:10.0.0.1/104',
    '::ffff:10.0.0.0/95',
    '::ffff:0:0/95',
    '::ffff:0:0/64',
    '::203.0.113.7/96',
  ])('%s is refused because of its host bits', (text) => {
    expect(() => parseNetwork(text)).toThrow('has host bits set')
  })

  test.each([
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/+8',
    '10.0.0.0/08',
    '10.0.0.0/00',
  ])('%s is refused because of its prefix length', (text) =>
    expect(() => parseNetwork(text)).toThrow('not 0 to 32'),
  )

  test.each(['::/129', '::/', '::/8.0', '::/0x8', '::/ 8', '::/8 ', '::/1e1', '::/٨'])(
    '%j is refused for its prefix length',
    (text) => expect(() => parseNetwork(text)).toThrow('not 0 to 128'),
  )

  test.each([
    '',
    '/',
    '/8',
    '10/8',
    '10.0/16',
    '10.0.0/24',
    '012.0.0.0/8',
    '0xa.0.0.0/8',
    '167772160/8',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.0.0/8',
    ' 10.0.0.0/8',
    'fe80::%eth0/64',
    'fe80::1%eth0',
    '[2001:db8::]/32',
    'example.com',
    '*',
  ])('%j is refused because it is not a network', (text) => {
    expect(() => parseNetwork(text)).toThrow('is not an IPv4 or IPv6 address or CIDR')
  })

  test('a netmask is not a prefix length', () => {
    expect(() => parseNetwork('10.0.0.0/255.0.0.0')).toThrow('not 0 to 32')
  })
})

describe('a network contains an address', () => {
  test.each([
    ['10.0.0.0/8', '10.0.0.0', true],
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['203.0.113.7', '203.0.113.7', true],
    ['203.0.113.7', '203.0.113.8', false],
    ['203.0.113.6/31', '203.0.113.7', true],
    ['0.0.0.0/0', '255.255.255.255', true],
    ['0.0.0.0/0', '::ffff:1.2.3.4', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::/0', '2001:db8::1', true],
    ['::/0', '1.2.3.4', false],
    ['2001:db8::/33', '2001:db8:7fff::', true],
    ['2001:db8::/33', '2001:db8:8000::', false],
    ['2001:db8::1', '2001:db8::1', true],
    ['2001:db8::1', '2001:db8::2', false],
    ['::ffff:10.0.0.0/104', '10.9.8.7', true],
    ['10.0.0.0/8', '::ffff:10.9.8.7', true],
    ['10.0.0.0/8', '::10.9.8.7', false],
  ])('%s and %s: %s', (network, address, held) => {
    expect(networkContains(parseNetwork(network), parseAddress(address)!)).toBe(held)
  })

  test('as in the block list of Node', () => {
    const masked = (address: string, prefix: number): string => {
      const value = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
      const first = value - (value % 2 ** (32 - prefix))
      return [24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256).join('.')
    }
    fc.assert(
      fc.property(fc.ipV4(), fc.nat(32), fc.oneof(fc.ipV4(), fc.ipV6()), (first, prefix, other) => {
        const network = `${masked(first, prefix)}/${prefix}`
        const list = new BlockList()
        list.addSubnet(masked(first, prefix), prefix, 'ipv4')
        for (const address of [first, other]) {
          const held = networkContains(parseNetwork(network), parseAddress(address)!)
          expect(held).toBe(list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6'))
        }
      }),
    )
  })
})
