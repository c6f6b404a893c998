import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { refusalOf } from '../support/refusals.ts'

const api = useApi({ WEBHOOK_ALLOWED_NETWORKS: '' })

const create = (token: string, body: unknown) => api.call('post', '/webhooks', { token, body })

describe('POST /webhooks: URLs', () => {
  const longest = `https://a.example/${'a'.repeat(2048 - 'https://a.example/'.length)}`

  test.each([
    'https://example.com',
    'https://example.com:8443/in?key=value',
    'https://203.0.114.1/in',
    'https://[2606:4700::1111]/in',
    'https://bücher.example/in',
    longest,
  ])('201 stores %s unchanged', async (given) => {
    const { token } = await api.makeAdmin()
    const { status, body } = await create(token, { url: given, events: ['*'] })
    expect(status).toBe(201)
    expect(body.webhook.url).toBe(given)
  })

  test.each([
    ['', 'not a URL'],
    ['no url', 'white space'],
    ['example.com', 'not a URL'],
    ['http://example.com', 'https'],
    ['ftp://example.com', 'https'],
    ['https://user@example.com', 'credentials'],
    ['https://user:password@example.com', 'credentials'],
    ['https://@example.com', 'credentials'],
    ['https://example.com/#part', 'fragment'],
    ['https://example.com/#', 'fragment'],
    ['https://example.com:0/', 'port 0'],
    ['https://example', 'dot'],
    ['https://example.com./', 'dot'],
    ['https://localhost/', 'dot'],
    ['https://api.localhost/', '.localhost'],
    ['https://printer.local/', '.local'],
    ['https://PRINTER.LOCAL/', '.local'],
    ['https://127.0.0.1/', 'not public'],
    ['https://2130706433/', 'not public'],
    ['https://0x7f.1/', 'not public'],
    ['https://10.1.2.3/', 'not public'],
    ['https://100.64.0.1/', 'not public'],
    ['https://169.254.169.254/', 'not public'],
    ['https://192.168.0.1/', 'not public'],
    ['https://[::1]/', 'not public'],
    ['https://[::ffff:10.0.0.1]/', 'not public'],
    ['https://[fd00::1]/', 'not public'],
    [`${longest}a`, '2048'],
    ['https://a.example/\t', 'control'],
  ])('422 webhook_url_not_allowed for %j gives the reason: %s', async (given, reason) => {
    const { token, tenant } = await api.makeAdmin()
    const response = await create(token, { url: given, events: ['*'] })
    expect(refusalOf(response)).toMatchObject({ status: 422, code: 'webhook_url_not_allowed' })
    expect(response.body.detail).toContain(reason)
    expect(refusalOf(response).pointers).toEqual(['/url'])
    expect(
      await api.database.prisma.webhookEndpoint.count({ where: { tenantId: tenant.id } }),
    ).toBe(0)
  })

  describe('if private networks are allowed', () => {
    const privateApi = useApi({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' })

    test.each(['http://127.0.0.1:8080/in', 'http://receiver/in', 'https://receiver/in'])(
      '201 accepts %s',
      async (given) => {
        const { token } = await (await privateApi.makeTenant()).makeKey()
        const body = { url: given, events: ['*'] }
        expect((await privateApi.call('post', '/webhooks', { token, body })).status).toBe(201)
      },
    )

    test.each(['http://10.0.0.1/in', 'ftp://receiver/in', 'http://192.0.2.1/in'])(
      '422 webhook_url_not_allowed for %s even then',
      async (given) => {
        const { token } = await (await privateApi.makeTenant()).makeKey()
        const body = { url: given, events: ['*'] }
        const response = await privateApi.call('post', '/webhooks', { token, body })
        expect(refusalOf(response)).toMatchObject({ code: 'webhook_url_not_allowed' })
      },
    )
  })
})
