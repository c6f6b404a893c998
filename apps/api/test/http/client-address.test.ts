import { describe, expect, test } from '@jest/globals'
import { useApi, type TestApi } from '../../../../test/support/api.ts'
import { auditOf, url } from '../support/webhooks.ts'

const behindProxies = useApi({ TRUSTED_PROXIES: '127.0.0.1/32, 10.0.0.0/8, 2001:db8:1::/48' })
const direct = useApi()

/** The address that a request is seen to come from: the audit log tells. */
async function addressOf(api: TestApi, forwardedFor?: string | string[]): Promise<string | null> {
  const { tenant, token } = await api.makeAdmin()
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor as string }
  const body = { url, events: ['*'] }
  expect((await api.call('post', '/webhooks', { token, body, headers })).status).toBe(201)
  const [entry] = await auditOf(api, tenant.id)
  return entry!.ip
}

describe('behind trusted proxies the client is the right-most untrusted address', () => {
  test.each<[given: string | undefined, client: string]>([
    [undefined, '127.0.0.1'],
    ['203.0.113.7', '203.0.113.7'],
    [' 203.0.113.7 ', '203.0.113.7'],
    ['198.51.100.1, 203.0.113.7', '203.0.113.7'],
    ['203.0.113.7, 10.1.2.3', '203.0.113.7'],
    ['198.51.100.1, 203.0.113.7, 10.1.2.3, 2001:db8:1::9', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['203.0.113.7, ::ffff:10.1.2.3', '203.0.113.7'],
    ['2001:DB8::7', '2001:db8::7'],
    ['10.1.2.3, 10.1.2.4', '10.1.2.3'],
    ['nonsense', '127.0.0.1'],
    ['203.0.113.7, nonsense', '127.0.0.1'],
    ['203.0.113.7, nonsense, 10.1.2.3', '10.1.2.3'],
    ['203.0.113.7, ', '127.0.0.1'],
    ['', '127.0.0.1'],
  ])('X-Forwarded-For: %s is %s', async (given, client) => {
    expect(await addressOf(behindProxies, given)).toBe(client)
  })

  test('of several X-Forwarded-For headers the last one is the right-most', async () => {
    expect(await addressOf(behindProxies, ['198.51.100.1', '203.0.113.7'])).toBe('203.0.113.7')
  })
})

test('X-Forwarded-For is ignored without trusted proxies', async () => {
  expect(await addressOf(direct, '203.0.113.7')).toBe('127.0.0.1')
})
