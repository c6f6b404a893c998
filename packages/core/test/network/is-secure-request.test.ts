import { isSecureRequest, parseNetwork } from '@hosting/core'
import { describe, expect, test } from '@jest/globals'

const trustedProxies = [parseNetwork('10.0.0.0/8'), parseNetwork('fd00::/8')]
const proxy = '10.0.0.1'
const stranger = '203.0.113.9'

const judge = (
  socketAddress: string,
  forwardedProto: string | undefined,
  publicUrl: string | undefined,
  trusted = trustedProxies,
) => isSecureRequest({ socketAddress, forwardedProto }, { publicUrl, trustedProxies: trusted })

describe('a request came over TLS', () => {
  test.each([
    ['PUBLIC_URL is https', stranger, undefined, 'https://panel.example'],
    ['a trusted proxy says so', proxy, 'https', undefined],
    ['a trusted proxy says so in capitals', proxy, 'HTTPS', undefined],
    ['a trusted proxy says so of every hop', proxy, 'https, https', undefined],
    ['a trusted proxy says so against PUBLIC_URL', proxy, 'https', 'http://panel.example'],
    ['a trusted proxy of the other family says so', 'fd00::1', 'https', undefined],
    ['a trusted proxy, mapped into IPv6, says so', '::ffff:10.0.0.1', 'https', undefined],
    ['PUBLIC_URL is https, whatever a stranger says', stranger, 'http', 'https://panel.example'],
  ])('where %s', (_when, address, proto, publicUrl) => {
    expect(judge(address, proto, publicUrl)).toBe(true)
  })
})

describe('a request did not come over TLS', () => {
  test.each([
    ['nothing is known', stranger, undefined, undefined],
    ['PUBLIC_URL is http', stranger, undefined, 'http://panel.example'],
    ['only a stranger says so', stranger, 'https', undefined],
    ['only a stranger says so, against PUBLIC_URL', stranger, 'https', 'http://panel.example'],
    ['a trusted proxy denies it', proxy, 'http', 'https://panel.example'],
    ['a trusted proxy denies it of one hop', proxy, 'https, http', 'https://panel.example'],
    ['a trusted proxy says nonsense', proxy, 'httpsx', 'https://panel.example'],
    ['a trusted proxy says nothing', proxy, '', 'https://panel.example'],
  ])('where %s', (_when, address, proto, publicUrl) => {
    expect(judge(address, proto, publicUrl)).toBe(false)
  })

  test('where nobody is trusted', () => {
    expect(judge(proxy, 'https', undefined, [])).toBe(false)
  })
})
