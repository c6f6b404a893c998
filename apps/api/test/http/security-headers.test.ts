import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { useApi, type TestApi } from '../../../../test/support/api.ts'
import { serviceToken } from '../../../../test/support/environment.ts'
import { expectGuarded, strictestPolicy } from '../../../../test/support/guarded.ts'
import { listenWith } from '../../../../test/support/listener.ts'
import { sendRaw } from '../../../../test/support/raw-http.ts'
import { url } from '../support/webhooks.ts'

const api = useApi()

interface Sent {
  readonly headers?: OutgoingHttpHeaders
  readonly body?: unknown
}

/** Sends a request and returns the status and headers of any response. */
async function send(base: string, target: string, { headers = {}, body }: Sent = {}) {
  const [method, path] = target.split(' ')
  const { hostname, port } = new URL(base)
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest({
      hostname,
      port,
      method,
      path,
      agent: false,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    })
      .once('response', resolve)
      .once('error', reject)
      .end(body === undefined ? undefined : JSON.stringify(body))
  })
  const text = Buffer.concat(await message.toArray()).toString()
  return { status: message.statusCode!, headers: message.headers, text }
}

/** What only a page carries: the rest of helmet's headers, and a policy that lets something in. */
const ofPages = {
  'content-type': 'text/html; charset=utf-8',
  'cross-origin-opener-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'permissions-policy': expect.stringContaining('camera=()'),
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
}

describe('responses of the public port other than pages forbid all content and framing', () => {
  let bearer: { authorization: string }
  beforeAll(async () => {
    const { token } = await (await api.makeTenant()).makeKey()
    bearer = { authorization: `Bearer ${token}` }
  })
  const byKey = (further: Sent = {}) => ({ ...further, headers: { ...bearer, ...further.headers } })
  const hook = { url, events: ['*'] }

  test.each<[string, number, () => Sent]>([
    ['GET /api/v1/auth/me', 200, () => byKey()],
    ['HEAD /api/v1/auth/me', 200, () => byKey()],
    ['POST /api/v1/webhooks', 201, () => byKey({ body: hook })],
    ['GET /api/v1/openapi.json', 200, () => ({})],
    ['GET /api/v1/auth/me', 401, () => ({})],
    ['GET /api/v1/auth/me', 401, () => ({ headers: { authorization: 'Bearer nonsense' } })],
    ['GET /api/v1/auth/sessions', 403, () => byKey()],
    [`GET /api/v1/webhooks/${randomUUID()}`, 404, () => byKey()],
    ['GET /api/v1/nothing', 404, () => ({})],
    ['GET /api/v1/auth/%zz', 404, () => ({})],
    ['GET /problems/nothing', 404, () => ({})],
    ['GET /nothing', 404, () => ({})],
    ['PUT /api/v1/webhooks', 405, () => byKey()],
    ['OPTIONS /api/v1/webhooks', 405, () => ({})],
    ['POST /docs', 405, () => ({})],
    ['POST /api/v1/webhooks', 413, () => byKey({ body: 'a'.repeat(2 ** 18) })],
    ['POST /api/v1/webhooks', 415, () => byKey({ body: hook, headers: { 'content-type': 'a/b' } })],
    ['POST /api/v1/webhooks', 422, () => byKey({ body: {} })],
    ['POST /api/v1/auth/device/token', 400, () => ({ body: { device_code: 'none' } })],
    ['GET /keys', 303, () => ({})],
  ])('%s, %d', async (target, status, sent) => {
    const response = await send(api.url, target, sent())
    expect(response.status).toBe(status)
    expectGuarded(response.headers)
    expect(response.headers).toMatchObject({
      'content-security-policy': strictestPolicy,
      'cache-control': 'no-store',
      'x-request-id': expect.any(String),
    })
    expect(response.headers).not.toHaveProperty('strict-transport-security')
  })

  test('GET /api/v1/webhooks/listen, a stream', async () => {
    const stream = await listenWith(api.url, bearer.authorization.split(' ')[1]!)
    expectGuarded(stream.headers)
    expect(stream.headers['content-security-policy']).toBe(strictestPolicy)
    expect(stream.headers['cache-control']).toBe('no-store')
    await stream.leave()
  })

  test.each([
    'NONSENSE\r\n\r\n',
    'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n',
  ])('an invalid request: %j', async (text) => {
    const [response] = await sendRaw(api.url, text)
    expect(response!.status).toBeGreaterThanOrEqual(400)
    expectGuarded(response!.headers)
    expect(response!.headers['content-security-policy']).toBe(strictestPolicy)
  })
})

describe('pages', () => {
  test.each([
    ['/docs', 200],
    ['/problems', 200],
    ['/problems/not_found', 200],
    ['/sign-in', 200],
    ['/nothing', 404],
    ['/assets/nothing', 404],
  ])('%s, %d, has all of helmet’s headers', async (path, status) => {
    const response = await send(api.url, `GET ${path}`, { headers: { accept: 'text/html' } })
    expect(response.status).toBe(status)
    expectGuarded(response.headers)
    expect(response.headers).toMatchObject({ ...ofPages, 'cache-control': 'no-store' })
    expect(response.headers['content-security-policy']).toMatch(
      /base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'$/,
    )
  })

  test('the assets of a page have the headers too, and are cached permanently', async () => {
    const { text } = await send(api.url, 'GET /sign-in')
    const assets = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map((match) => match[1]!)
    expect(assets.length).toBeGreaterThan(0)
    for (const asset of assets) {
      const { status, headers } = await send(api.url, `GET ${asset}`)
      expect(status).toBe(200)
      expectGuarded(headers)
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
    }
  })
})

describe('downloads', () => {
  test.each(['/downloads/verify_webhook.py', '/downloads/sdk.tgz', '/docs/webhooks/vectors.json'])(
    'have the headers too, and are revalidated at each use: %s',
    async (path) => {
      const { status, headers } = await send(api.url, `GET ${path}`)
      expect(status).toBe(200)
      expectGuarded(headers)
      expect(headers['content-security-policy']).toBe(strictestPolicy)
      expect(headers['cache-control']).toBe('no-cache')
    },
  )
})

describe('responses of the internal listener', () => {
  const service = { authorization: `Bearer ${serviceToken}` }
  test.each<[string, number, Sent]>([
    ['GET /metrics', 200, {}],
    ['GET /healthz', 200, {}],
    ['GET /readyz', 200, {}],
    ['POST /metrics', 405, {}],
    ['GET /nothing', 404, {}],
    ['POST /internal/v1/events', 401, {}],
    ['POST /internal/v1/events', 422, { headers: service, body: {} }],
    [`DELETE /internal/v1/users/${randomUUID()}`, 404, { headers: service }],
    ['GET /internal/v1/events', 405, { headers: service }],
  ])('%s, %d', async (target, status, sent) => {
    const response = await send(api.internalUrl, target, sent)
    expect(response.status).toBe(status)
    expectGuarded(response.headers)
    expect(response.headers['content-security-policy']).toBe(strictestPolicy)
    expect(response.headers['cache-control']).toBe('no-store')
  })
})

describe('Strict-Transport-Security', () => {
  const said = 'max-age=63072000; includeSubDomains'
  const targets = [
    '/api/v1/auth/me',
    '/api/v1/openapi.json',
    '/sign-in',
    '/docs',
    '/keys',
    '/nothing',
  ]

  async function headersOf(of: TestApi, proto?: string): Promise<unknown[]> {
    const headers = proto === undefined ? {} : { 'x-forwarded-proto': proto }
    const responses = await Promise.all(
      targets.map((target) => send(of.url, `GET ${target}`, { headers })),
    )
    return [...new Set(responses.map((response) => response.headers['strict-transport-security']))]
  }

  test('is absent over plain HTTP, whatever the client claims', async () => {
    expect(await headersOf(api)).toEqual([undefined])
    expect(await headersOf(api, 'https')).toEqual([undefined])
  })

  describe('if people reach the service over HTTPS', () => {
    const secure = useApi({ PUBLIC_URL: 'https://panel.example' })

    test('is in every response', async () => {
      expect(await headersOf(secure)).toEqual([said])
      expect(await headersOf(secure, 'http')).toEqual([said])
    })

    test('is absent on the internal listener, which uses plain HTTP', async () => {
      const { headers } = await send(secure.internalUrl, 'GET /healthz')
      expect(headers).not.toHaveProperty('strict-transport-security')
    })
  })

  describe('behind a trusted proxy', () => {
    const proxied = useApi({ TRUSTED_PROXIES: '127.0.0.1', PUBLIC_URL: 'https://panel.example' })

    test('is present if the proxy reports HTTPS', async () => {
      expect(await headersOf(proxied, 'https')).toEqual([said])
      expect(await headersOf(proxied, 'http')).toEqual([undefined])
      expect(await headersOf(proxied)).toEqual([said])
    })
  })
})
