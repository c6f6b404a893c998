import { expect, test } from '@jest/globals'
import { findPublicHost } from './services.ts'

const found = (...addresses: string[]) => Promise.resolve(addresses.map((address) => ({ address })))

test.each<[addresses: string[], host: string]>([
  [['127.0.0.1'], 'localhost'],
  [['::1', '127.0.0.1'], 'localhost'],
  [['::1'], '127.0.0.1'],
  [['203.0.113.7'], '127.0.0.1'],
  [['127.0.0.1', '203.0.113.7'], '127.0.0.1'],
  [[], '127.0.0.1'],
])('where localhost resolves to %j, the panel is at %s', async (addresses, host) => {
  expect(await findPublicHost(() => found(...addresses))).toBe(host)
})

test('where localhost does not resolve, the panel is at 127.0.0.1', async () => {
  expect(await findPublicHost(() => Promise.reject(new Error('ENOTFOUND')))).toBe('127.0.0.1')
})
