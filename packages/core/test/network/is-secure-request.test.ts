import { isSecureRequest, parseNetwork } from '@hosting/core/network'
import { describe, expect, test } from '@jest/globals'

const trustedProxies = [parseNetwork('10.0.0.0/8'), parseNetwork('fd00::/8')]
const proxy = '10.0.0.1'
const stranger = '203.0.113.9'

const isSecure = (
  socketAddress: string,
  forwardedProto: string | undefined,
  publicUrl: string | undefined,
  trusted = trustedProxies,
) => isSecureRequest({ socketAddress, forwardedProto }, { publicUrl, trustedProxies: trusted })

describe('a request arrived over TLS', () => {
  test.each([
    ['PUBLIC_URL is https', stranger, undefined, 'https://panel.example'],
    ['a trusted proxy says so', proxy, 'https', undefined],
    ['a trusted proxy says so in capitals', proxy, 'HTTPS', undefined],
    ['a trusted proxy says so for every hop', proxy, 'https, https', undefined],
    ['a trusted proxy says so and contradicts PUBLIC_URL', proxy, 'https', 'http://panel.example'],
    ['a trusted proxy of the other family says so', 'fd00::1', 'https', undefined],
    ['a trusted proxy, mapped into IPv6, says so', '::ffff:10.0.0.1', 'https', undefined],
    [
      'PUBLIC_URL is https and a stranger contradicts it',
      stranger,
      'http',
      'https://panel.example',
    ],
  ])('if %s', (_when, address, proto, publicUrl) => {
    expect(isSecure(address, proto, publicUrl)).toBe(true)
  })
})

describe('a request did not arrive over TLS', () => {
  test.each([
    ['there is neither a header nor PUBLIC_URL', stranger, undefined, undefined],
    ['PUBLIC_URL is http', stranger, undefined, 'http://panel.example'],
    ['only a stranger says so', stranger, 'https', undefined],
    [
      'only a stranger says so and contradicts PUBLIC_URL',
      stranger,
      'https',
      'http://panel.example',
    ],
    ['a trusted proxy denies it', proxy, 'http', 'https://panel.example'],
    ['a trusted proxy denies it for one hop', proxy, 'https, http', 'https://panel.example'],
    ['a trusted proxy sends an unknown value', proxy, 'httpsx', 'https://panel.example'],
    ['a trusted proxy sends an empty value', proxy, '', 'https://panel.example'],
  ])('if %s', (_when, address, proto, publicUrl) => {
    expect(isSecure(address, proto, publicUrl)).toBe(false)
  })

  test('if no proxy is trusted', () => {
    expect(isSecure(proxy, 'https', undefined, [])).toBe(false)
  })
})
