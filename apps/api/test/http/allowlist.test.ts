import { describe, expect, test } from '@jest/globals'
import { useApi, type TestApi } from '../../../../test/support/api.ts'
import { makeKeyWith } from '../support/keys.ts'
import { refusalOf } from '../support/refusals.ts'

const behindProxies = useApi({ TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' })
const direct = useApi()

const ipDenied = { status: 403, code: 'api_key_ip_denied' }

/** The response to a key with the list and a request with the header. */
async function responseTo(api: TestApi, ip_allowlist: readonly string[], forwardedFor?: string) {
  const admin = await (await api.makeTenant()).makeKey()
  const { token } = await makeKeyWith(api, admin.token, { ip_allowlist })
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
  return api.call('get', '/auth/me', { token, headers })
}

describe('a key with an IP allowlist is accepted from', () => {
  test.each<[list: string[], address: string]>([
    [['203.0.113.7'], '203.0.113.7'],
    [['203.0.113.7/32'], '203.0.113.7'],
    [['203.0.113.0/24'], '203.0.113.0'],
    [['203.0.113.0/24'], '203.0.113.255'],
    [['198.51.100.0/24', '203.0.113.0/24'], '203.0.113.7'],
    [['0.0.0.0/0'], '203.0.113.7'],
    [['::/0'], '2001:db8::1'],
    [['2001:db8::/32'], '2001:DB8:0:0::1'],
    [['2001:db8::1'], '2001:db8:0:0:0:0:0:1'],
    [['203.0.113.0/24'], '::ffff:203.0.113.7'],
    [['203.0.113.0/24'], '::FFFF:cb00:7107'],
    [['::ffff:203.0.113.0/120'], '203.0.113.7'],
  ])('%j: %s', async (list, address) => {
    expect((await responseTo(behindProxies, list, address)).status).toBe(200)
  })
})

describe('a key with an IP allowlist gets 403 api_key_ip_denied from', () => {
  test.each<[list: string[], address: string]>([
    [['203.0.113.7'], '203.0.113.8'],
    [['203.0.113.0/24'], '203.0.114.0'],
    [['203.0.113.0/24', '198.51.100.0/24'], '198.51.101.0'],
    [['0.0.0.0/0'], '2001:db8::1'],
    [['::/0'], '203.0.113.7'],
    [['::/0'], '::ffff:203.0.113.7'],
    [['2001:db8::/32'], '2001:db9::1'],
    [['203.0.113.7'], '::203.0.113.7'],
    [['203.0.113.7'], 'nonsense'],
    [['203.0.113.7'], '203.0.113.8:443'],
  ])('%j: %s', async (list, address) => {
    const response = await responseTo(behindProxies, list, address)
    expect(refusalOf(response)).toEqual(ipDenied)
    expect(response.headers['ratelimit']).toBe('"per-key";r=600;t=0')
    expect(response.headers).not.toHaveProperty('retry-after')
  })
})

test('403 api_key_ip_denied names the address that was seen, in the problem and in the audit log', async () => {
  const { admin } = await behindProxies.makeAdmin()
  const { id, token } = await makeKeyWith(behindProxies, admin.token, {
    ip_allowlist: ['203.0.113.7'],
  })
  const headers = { 'x-forwarded-for': '::ffff:203.0.113.8' }
  const { body } = await behindProxies.call('get', '/auth/me', { token, headers })
  expect(body.detail).toBe('The API key may not be used from the IP address 203.0.113.8.')
  const entry = await behindProxies.database.prisma.auditEvent.findFirstOrThrow({
    where: { action: 'api_key.refuse', targetId: id },
  })
  expect(entry.details).toEqual({ route: 'auth.me', ip: '203.0.113.8' })
})

describe('X-Forwarded-For', () => {
  test.each([
    '203.0.113.7, 198.51.100.1',
    '203.0.113.7, 198.51.100.1, 10.1.2.3',
    '203.0.113.7, nonsense',
    '203.0.113.7,',
  ])("addresses to the left of the client's are ignored: %s", async (forwardedFor) => {
    const response = await responseTo(behindProxies, ['203.0.113.7'], forwardedFor)
    expect(refusalOf(response)).toEqual(ipDenied)
  })

  test.each(['198.51.100.1, 203.0.113.7', 'nonsense, 203.0.113.7, 10.1.2.3'])(
    'identifies the client behind the proxies: %s',
    async (forwardedFor) => {
      expect((await responseTo(behindProxies, ['203.0.113.7'], forwardedFor)).status).toBe(200)
    },
  )

  test('is ignored unless it comes from a trusted proxy', async () => {
    expect(refusalOf(await responseTo(direct, ['203.0.113.7'], '203.0.113.7'))).toEqual(ipDenied)
    expect((await responseTo(direct, ['127.0.0.1'], '203.0.113.7')).status).toBe(200)
    expect((await responseTo(direct, ['::ffff:127.0.0.1'])).status).toBe(200)
  })
})
