import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isIP } from 'node:net'
import { createAddressPolicy } from '../../src/network/address-policy.ts'
import { parseNetwork } from '../../src/network/networks.ts'
import { endpointUrlLengthMax } from '../../src/webhooks/limits.ts'
import { checkEndpointUrl, reachOf } from '../../src/webhooks/url.ts'
import { publicAddresses, refusedAddresses, refusedBlocks } from '../network/special-purpose.ts'
import { disguisedAddresses, malformedAddresses, refusedTexts } from './refused-urls.ts'

const policyOf = (own: string[], allowed: string[]) =>
  createAddressPolicy({ own: own.map(parseNetwork), allowed: allowed.map(parseNetwork) })

const plain = policyOf([], [])
const allowing = policyOf(['10.9.0.0/16'], ['10.0.0.0/8', '127.0.0.0/8', 'fd00::/8'])

const inUrl = (address: string): string => (isIP(address) === 6 ? `[${address}]` : address)

/** The rules that a URL, as parsed by WHATWG's algorithm, breaks. */
const errorsOf = ({ protocol, username, password, hash, port, hostname }: URL): string[] => {
  const errors: Record<string, boolean> = {
    scheme: protocol !== 'https:',
    credentials: username !== '' || password !== '',
    fragment: hash !== '',
    port: port === '0',
    name: !/^(\[.*\]|[^.]+(\.[^.]+)+)$/.test(hostname),
    local: /\.(localhost|local)$/.test(hostname),
    address: /^[\d.]+$|^\[/.test(hostname) && !plain.permits(hostname, 'public'),
  }
  return Object.keys(errors).filter((name) => errors[name])
}

describe('an accepted URL', () => {
  test.each([
    'https://example.com',
    'https://example.com/',
    'https://example.com:8443/hooks?tenant=1&x=%23',
    'https://example.com:65535/',
    'https://example.com:443/',
    'https://a.b',
    'https://hooks.example.co.uk/a/b/c;d=1',
    'HTTPS://EXAMPLE.COM/',
    'https://xn--bcher-kva.example/',
    'https://bücher.example/',
    'https://foo_bar.example.com/',
    'https://localhost.example.com/',
    'https://local.example.com/',
    'https://notlocal.mylocal/',
    'https://localhost.localdomain/',
    'https://example.com/@user',
    'https://example.com/a:b@c',
    'https://example.com/?next=http://10.0.0.1@example.org/',
    'https://127.0.0.1.nip.io/',
    'https://1.2.3.4.example.com/',
    'https://example.com/../a//b',
  ])('%s', (url) => {
    expect(checkEndpointUrl(url, plain)).toBeUndefined()
    expect(checkEndpointUrl(url, allowing)).toBeUndefined()
  })

  test.each(publicAddresses.filter((address) => !address.startsWith('::ffff:')))(
    'may name the public address %s',
    (address) => {
      expect(checkEndpointUrl(`https://${inUrl(address)}/`, plain)).toBeUndefined()
      expect(checkEndpointUrl(`https://${inUrl(address)}:8443/hook`, plain)).toBeUndefined()
    },
  )

  test('never has a forbidden host, port, credentials or fragment, for random URLs', () => {
    const part = fc.constantFrom(
      ...'https http : // / \\ @ # ? . .. 。 %2e %40 127 0 1 8'.split(' '),
      ...'localhost local example com [::1] 0x7f :0'.split(' '),
    )
    const authority = fc.array(part, { maxLength: 8 }).map((parts) => `https://${parts.join('')}`)
    const anything = fc.array(part, { maxLength: 10 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.oneof(authority, anything), (text) => {
        const refused = checkEndpointUrl(text, plain) !== undefined
        expect(refused ? [] : errorsOf(new URL(text))).toEqual([])
      }),
      { numRuns: 5_000 },
    )
  })
})

describe('a literal address that is not public', () => {
  test.each(refusedBlocks)('%s, %s, is refused from %s to %s', (_name, _cidr, ...ends) => {
    for (const end of ends) {
      expect(checkEndpointUrl(`https://${inUrl(end)}/`, plain)).toMatch(/not public/)
      expect(checkEndpointUrl(`https://${inUrl(end)}:8443/hook`, plain)).toMatch(/not public/)
    }
  })

  test.each(refusedAddresses)('%s, %s, is refused', (_name, address) => {
    expect(checkEndpointUrl(`https://${inUrl(address)}/`, plain)).toMatch(/not public/)
  })

  test.each(disguisedAddresses)('is refused in disguise: %s, %s', (_case, host) => {
    expect(checkEndpointUrl(`https://${host}/`, plain)).toMatch(/not public/)
  })

  test.each(malformedAddresses)('is refused in a malformed form: %s, %s', (_case, host) => {
    expect(checkEndpointUrl(`https://${host}/`, plain)).toBeDefined()
  })
})

describe('a URL with an invalid text is refused', () => {
  test.each(refusedTexts)('%s: %j', (_case, text, reason) => {
    expect(checkEndpointUrl(text, plain)).toMatch(reason)
  })

  test('every reason is a readable sentence', () => {
    for (const text of ['', 'http://a.b', 'https://a@b.c', 'https://a', 'https://127.1']) {
      expect(checkEndpointUrl(text, plain)).toMatch(/^(it|its|names|port) .*\.$/)
    }
  })
})

describe('the length', () => {
  const ofLength = (length: number): string => 'https://example.com/'.padEnd(length, 'a')

  test('of 2,048 characters is accepted', () => {
    expect(endpointUrlLengthMax).toBe(2048)
    expect(checkEndpointUrl(ofLength(2048), plain)).toBeUndefined()
  })

  test.each([2049, 100_000])('of %i characters is refused', (length) => {
    expect(checkEndpointUrl(ofLength(length), plain)).toMatch(/2048/)
  })
})

describe('while networks are allowed', () => {
  test.each([
    'http://example.com/',
    'http://10.0.0.1/',
    'http://127.0.0.1:8080/hook',
    // An attempt fails with `address_not_public`, because the address is not in these networks.
    'http://8.8.8.8/',
    'http://[2606:4700::1]/',
    'https://127.0.0.1/',
    'https://10.0.0.1:8443/',
    'https://[fd00::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[64:ff9b::10.0.0.1]/',
    'https://receiver/',
    'http://receiver:8080/',
    'http://localhost:8080/',
    'https://localhost/',
  ])('%s is accepted', (url) => {
    expect(checkEndpointUrl(url, allowing)).toBeUndefined()
    expect(checkEndpointUrl(url, plain)).toBeDefined()
  })

  test.each([
    ['ftp://10.0.0.1/', /https/],
    ['http://192.168.0.1/', /not public/],
    ['https://192.168.0.1/', /not public/],
    ['https://169.254.169.254/', /not public/],
    ['https://[::1]/', /not public/],
    ['https://10.9.1.1/', /not public/],
    ['http://[::ffff:10.9.1.1]/', /not public/],
    ['https://[64:ff9b::10.9.1.1]/', /not public/],
    ['http://user@10.0.0.1/', /credentials/],
    ['http://10.0.0.1/#', /fragment/],
    ['http://10.0.0.1:0/', /port/],
    ['http://localhost./', /dot/],
    ['http://app.localhost/', /local/],
    ['http://printer.local/', /local/],
    ['http://receiver\n/', /white space/],
  ])('%s is refused', (url, reason) => expect(checkEndpointUrl(url, allowing)).toMatch(reason))

  test('own networks are refused even if they are allowed', () => {
    const open = policyOf(['10.9.0.0/16', '8.8.8.8'], ['0.0.0.0/0'])
    expect(checkEndpointUrl('https://10.9.1.1/', open)).toMatch(/not public/)
    expect(checkEndpointUrl('https://8.8.8.8/', open)).toMatch(/not public/)
    expect(checkEndpointUrl('https://10.8.1.1/', open)).toBeUndefined()
  })
})

test('own networks are refused if no network is allowed', () => {
  expect(checkEndpointUrl('https://8.8.8.8/', policyOf(['8.8.8.0/24'], []))).toMatch(/not public/)
})

describe('the reach of a connection', () => {
  test.each([
    ['https:', 'example.com', 'public'],
    ['https:', '8.8.8.8', 'public'],
    ['https:', '2606:4700::1', 'public'],
    ['https:', 'receiver', 'allowed-only'],
    ['https:', 'localhost', 'allowed-only'],
    ['http:', 'example.com', 'allowed-only'],
    ['http:', '8.8.8.8', 'allowed-only'],
    ['http:', 'receiver', 'allowed-only'],
  ])('of %s and %s is %s', (protocol, host, reach) => expect(reachOf(protocol, host)).toBe(reach))
})
