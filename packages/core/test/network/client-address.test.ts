import { describe, expect, test } from '@jest/globals'
import { clientAddress } from '../../src/network/client-address.ts'
import { parseNetwork } from '../../src/network/networks.ts'

const proxies = ['10.0.0.0/8', 'fd00::/8', '198.51.100.7'].map(parseNetwork)

describe('without trusted proxies', () => {
  test.each([
    ['203.0.113.7', undefined, '203.0.113.7'],
    ['203.0.113.7', '192.0.2.1', '203.0.113.7'],
    ['::ffff:203.0.113.7', '192.0.2.1', '203.0.113.7'],
    ['2001:db8::1', '192.0.2.1', '2001:db8::1'],
    ['10.0.0.1', '192.0.2.1', '10.0.0.1'],
    ['127.0.0.1', '192.0.2.1', '127.0.0.1'],
  ])('the address of the socket %s with %j is %s', (socket, header, client) => {
    expect(clientAddress(socket, header, { trustedProxies: [] })).toBe(client)
  })
})

describe('behind trusted proxies', () => {
  test.each([
    ['a socket that is not a proxy is the client', '203.0.113.7', '192.0.2.1', '203.0.113.7'],
    ['one proxy', '10.0.0.1', '203.0.113.7', '203.0.113.7'],
    ['a proxy on IPv6', 'fd00::1', '203.0.113.7', '203.0.113.7'],
    ['a proxy of one address', '198.51.100.7', '203.0.113.7', '203.0.113.7'],
    ['a mapped proxy', '::ffff:10.0.0.1', '203.0.113.7', '203.0.113.7'],
    ['a client on IPv6', '10.0.0.1', '2001:DB8:0::7', '2001:db8::7'],
    ['a mapped client', '10.0.0.1', '::ffff:203.0.113.7', '203.0.113.7'],
    ['several proxies', '10.0.0.1', '203.0.113.7, 10.0.0.3, 10.0.0.2', '203.0.113.7'],
    ['proxies of both families', '10.0.0.1', '203.0.113.7,fd00::2,::ffff:10.9.9.9', '203.0.113.7'],
    ['a forged left-most entry', '10.0.0.1', '192.0.2.1, 203.0.113.7', '203.0.113.7'],
    ['a forged proxy on the left', '10.0.0.1', '10.0.0.9, 203.0.113.7', '203.0.113.7'],
    ['a forged chain', '10.0.0.1', '192.0.2.1, 10.0.0.9, 203.0.113.7, 10.0.0.2', '203.0.113.7'],
    ['a port', '10.0.0.1', '203.0.113.7:4711', '203.0.113.7'],
    ['a port on IPv6', '10.0.0.1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['brackets without a port', '10.0.0.1', '[2001:db8::7]', '2001:db8::7'],
    ['ports of proxies', '10.0.0.1', '203.0.113.7:80, [fd00::2]:443, 10.0.0.2:8080', '203.0.113.7'],
    ['white space around entries', '10.0.0.1', '  192.0.2.1 ,\t203.0.113.7  ', '203.0.113.7'],
    ['only proxies', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['no header', '10.0.0.1', undefined, '10.0.0.1'],
    ['an empty header', '10.0.0.1', '', '10.0.0.1'],
  ])('%s', (_case, socket, header, client) => {
    expect(clientAddress(socket, header, { trustedProxies: proxies })).toBe(client)
  })
})

describe('an entry that is not an address', () => {
  test.each([
    'unknown',
    '_hidden',
    '203.0.113.7:',
    '203.0.113.7:http',
    '203.0.113.7:123456',
    '[203.0.113.7]:4711',
    '[2001:db8::7',
    '[2001:db8::7]x',
    '[fe80::1%eth0]:4711',
    '203.0.113',
    '0313.0.113.7',
    '0xcb007107',
    'fe80::1%eth0',
    '203.0.113.7/32',
    '<script>',
    '',
    ',',
  ])('%j makes the proxy that added it the client', (entry) => {
    expect(clientAddress('10.0.0.1', entry, { trustedProxies: proxies })).toBe('10.0.0.1')
    expect(clientAddress('10.0.0.1', `192.0.2.1, ${entry}`, { trustedProxies: proxies })).toBe(
      '10.0.0.1',
    )
    expect(
      clientAddress('10.0.0.1', `192.0.2.1, ${entry}, 10.0.0.2`, { trustedProxies: proxies }),
    ).toBe('10.0.0.2')
  })

  test('is reported if it is read', () => {
    const unreadable: string[] = []
    const options = {
      trustedProxies: proxies,
      onUnreadable: (entry: string) => unreadable.push(entry),
    }
    clientAddress('10.0.0.1', 'unknown', options)
    clientAddress('10.0.0.1', 'hidden, 203.0.113.7', options)
    clientAddress('203.0.113.7', 'from a stranger', options)
    expect(unreadable).toEqual(['unknown'])
  })

  test('left of the client is not read', () => {
    expect(clientAddress('10.0.0.1', 'unknown, 203.0.113.7', { trustedProxies: proxies })).toBe(
      '203.0.113.7',
    )
  })
})

test('the time for a long forged header depends only on the entries that are read', () => {
  const header = `${'10.0.0.9, '.repeat(5_000)}203.0.113.7`
  expect(clientAddress('10.0.0.1', header, { trustedProxies: proxies })).toBe('203.0.113.7')
})

test('an invalid socket address is returned unchanged', () => {
  expect(clientAddress('fe80::1%eth0', '192.0.2.1', { trustedProxies: proxies })).toBe(
    'fe80::1%eth0',
  )
  expect(clientAddress('', '192.0.2.1', { trustedProxies: proxies })).toBe('')
})
