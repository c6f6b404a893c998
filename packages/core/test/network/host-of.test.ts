import { expect, test } from '@jest/globals'
import { hostOf } from '../../src/network/networks.ts'

test.each([
  ['https://example.com/', 'example.com'],
  ['https://EXAMPLE.com:8443/', 'example.com'],
  ['https://[2606:4700::1]:8443/', '2606:4700::1'],
  ['https://0x7f.1/', '127.0.0.1'],
])('the host of %s is %s', (url, host) => expect(hostOf(new URL(url))).toBe(host))
