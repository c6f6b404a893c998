import { describe, expect, test } from '@jest/globals'
import { useApi } from '../support/api.ts'
import { visitorOf } from './visitor.ts'

const publicUrl = 'https://panel.example.com'
const api = useApi({
  PUBLIC_URL: publicUrl,
  WEBHOOK_SOURCE_ADDRESSES: '203.0.113.0/24, 2001:db8::/48,198.51.100.7',
  SUPPORT_URL: 'https://example.com/support?a=b&c=d',
  SECURITY_CONTACT: 'mailto:security@example.com',
})
const silent = useApi()
const sources = '/.well-known/webhook-sources.json'
const security = '/.well-known/security.txt'

describe('with contact settings', () => {
  test('the source addresses of webhooks are published for programs and in the guide', async () => {
    const response = await fetch(api.url + sources)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({
      ipv4: ['203.0.113.0/24', '198.51.100.7/32'],
      ipv6: ['2001:db8::/48'],
    })
    const guide = await visitorOf(api).get('/docs/webhooks')
    for (const text of ['203.0.113.0/24', '2001:db8::/48', '198.51.100.7/32', sources]) {
      expect(guide.text).toContain(text)
    }
  })

  test('security.txt names the contact, and does not expire while the service runs', async () => {
    const response = await fetch(api.url + security)
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const lines = (await response.text()).split('\n')
    expect(lines[0]).toBe('Contact: mailto:security@example.com')
    const days = (Date.parse(lines[1]!.replace('Expires: ', '')) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(29)
    expect(days).toBeLessThan(31)
    expect(lines.slice(2)).toEqual([
      `Canonical: ${publicUrl}${security}`,
      'Preferred-Languages: en',
      '',
    ])
  })

  test('the sign-in page says whom to contact about a forgotten password', async () => {
    const { text } = await visitorOf(api).get('/sign-in')
    expect(text).toContain('<a href="https://example.com/support?a=b&amp;c=d">Contact support</a>')
  })
})

test('without contact settings, nothing is published', async () => {
  for (const path of [sources, security]) expect((await fetch(silent.url + path)).status).toBe(404)
  expect((await visitorOf(silent).get('/docs/webhooks')).text).not.toContain('Source addresses')
  const { text } = await visitorOf(silent).get('/sign-in')
  expect(text).toContain('Forgot your password? Ask the company that gave you access.')
})
