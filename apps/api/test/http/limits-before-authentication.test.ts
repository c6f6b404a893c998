import { publicBase, publicRoutes, needsCredentials, type Route } from '@hosting/api'
import type { Config } from '@hosting/core/configuration'
import { parseNetwork } from '@hosting/core/network'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Request } from 'express'
import { useApi } from '../../../../test/support/api.ts'
import { serviceToken } from '../../../../test/support/environment.ts'
import { sendRaw } from '../../../../test/support/raw-http.ts'
import { clientAddressOf } from '../../src/api/http/serve.ts'
import type { Services } from '../../src/api/services.ts'

const api = useApi()
let token = ''
beforeAll(async () => {
  token = (await (await api.makeTenant()).makeKey()).token
})

const openBytesMax = 16 * 2 ** 10
const problem = 'application/problem+json'
/** What the OAuth endpoints and `POST /auth/token` answer errors with. */
const oauthError = 'application/json'
const mediaTypeOf = (path: string) => (path.endsWith('/auth/token') ? oauthError : problem)
const tooLarge = (path: string) => ({
  status: 413,
  type: mediaTypeOf(path),
  code: 'payload_too_large',
})

const post = async (path: string, body: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${api.url}${path}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
    redirect: 'manual',
  })
  const type = response.headers.get('content-type') ?? ''
  const text = await response.text()
  const code = type.includes('json') ? (JSON.parse(text).code as string) : undefined
  return { status: response.status, type, code }
}

const bodyOfBytes = (bytes: number): string => `{"x":"${'a'.repeat(bytes - '{"x":""}'.length)}"}`

describe('bodies of routes without credentials', () => {
  const open = (publicRoutes as unknown as readonly Route[]).filter(
    (route) => route.body && !needsCredentials(route),
  )

  test.each(open.map(({ path }) => `${publicBase}${path}`))(
    '%s accepts up to 16 KiB',
    async (path) => {
      const status = path.endsWith('/auth/token') ? 400 : 422
      const type = mediaTypeOf(path)
      expect(await post(path, bodyOfBytes(openBytesMax))).toMatchObject({ status, type })
      expect(await post(path, bodyOfBytes(openBytesMax + 1))).toEqual(tooLarge(path))
    },
  )

  test('forms of the panel accept up to 16 KiB', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }
    const form = (bytes: number) => `do=sign_in&x=`.padEnd(bytes, 'a')
    expect((await post('/sign-in', form(openBytesMax), headers)).status).not.toBe(413)
    expect((await post('/sign-in', form(openBytesMax + 1), headers)).status).toBe(413)
  })

  test('routes with credentials accept up to 256 KiB', async () => {
    const headers = { authorization: `Bearer ${token}` }
    const path = `${publicBase}/webhooks`
    expect((await post(path, bodyOfBytes(256 * 2 ** 10), headers)).status).toBe(422)
    expect(await post(path, bodyOfBytes(256 * 2 ** 10 + 1), headers)).toEqual(tooLarge(path))
  })
})

describe('two Authorization headers', () => {
  const send = (base: string, path: string, ...fields: string[]) =>
    sendRaw(
      base,
      `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n`,
    )

  test('400 malformed_request in any order, in any case and on every listener', async () => {
    const [good, bad] = [`Authorization: Bearer ${token}`, 'aUTHORIZATION: Bearer nonsense']
    for (const fields of [
      [good, bad],
      [bad, good],
      [good, good],
      [good, 'X-Between: a', bad],
    ]) {
      for (const [base, path] of [
        [api.url, '/api/v1/auth/me'],
        [api.url, '/'],
        [api.internalUrl, '/internal/v1/authorize'],
      ] as const) {
        const [response] = await send(base, path, ...fields)
        expect({ status: response!.status, code: JSON.parse(response!.body).code }).toEqual({
          status: 400,
          code: 'malformed_request',
        })
      }
    }
    const [response] = await send(api.url, '/api/v1/auth/me', good)
    expect(response!.status).toBe(200)
  })
})

describe('a path with a trailing slash', () => {
  const status = async (base: string, path: string, headers: Record<string, string>) =>
    (await fetch(`${base}${path}`, { headers, redirect: 'manual' })).status

  test.each(['/api/v1/auth/me', '/api/v1/webhooks', '/api/v1/openapi.json', '/problems'])(
    'is 404: %s/',
    async (path) => {
      const headers = { authorization: `Bearer ${token}` }
      expect(await status(api.url, path, headers)).toBe(200)
      expect(await status(api.url, `${path}/`, headers)).toBe(404)
    },
  )

  test.each(['/sign-in', '/keys', '/keys/new'])('is 404 in the panel: %s/', async (path) => {
    const headers = { accept: 'text/html' }
    expect(await status(api.url, path, headers)).not.toBe(404)
    expect(await status(api.url, `${path}/`, headers)).toBe(404)
  })

  test('the panel itself is at /', async () => {
    expect(await status(api.url, '/', { accept: 'text/html' })).toBe(303)
  })

  test('is 404 on the internal listener', async () => {
    const path = `${api.internalUrl}/internal/v1/events`
    const send = (url: string) =>
      fetch(url, { method: 'POST', headers: { authorization: `Bearer ${serviceToken}` } })
    expect((await send(path)).status).toBe(422)
    expect((await send(`${path}/`)).status).toBe(404)
    expect((await fetch(`${api.internalUrl}/healthz`)).status).toBe(200)
    expect((await fetch(`${api.internalUrl}/healthz/`)).status).toBe(404)
  })
})

describe('bodies with too many parts', () => {
  const cpuMsOf = async (body: string): Promise<number> => {
    const before = process.cpuUsage()
    const { status } = await post('/api/v1/api-keys', body, { authorization: `Bearer ${token}` })
    const { user, system } = process.cpuUsage(before)
    expect(status).toBe(422)
    return (user + system) / 1_000
  }

  const items = `{"name":"x","scopes":[${'1,'.repeat(119_999)}1]}`
  const members = JSON.stringify(
    Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`m${index}`, 0])),
  )

  test('cost little more CPU time than a plain body of the same length', async () => {
    const plain = bodyOfBytes(items.length)
    const [costs, plainCosts]: [number[], number[]] = [[], []]
    for (let round = 0; round < 6; round++) {
      plainCosts.push(await cpuMsOf(plain))
      costs.push(await cpuMsOf(items))
    }
    // Before it was six times as much and more, at best.
    expect(Math.min(...costs)).toBeLessThan(Math.min(...plainCosts) * 4)
  })

  test('the error names the excess, and a small body gets all of its errors', async () => {
    const errorsOf = async (body: string) => {
      const response = await fetch(`${api.url}/api/v1/api-keys`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      })
      return ((await response.json()) as { errors: object[] }).errors
    }
    expect(await errorsOf(items)).toEqual([
      { pointer: '/scopes', message: 'must NOT have more than 50 items' },
    ])
    expect(await errorsOf(members)).toHaveLength(1)
    expect(await errorsOf('{"name":1,"scopes":[2,3],"x":4}')).toHaveLength(4)
  })
})

test('a proxy that sends an invalid client address is logged once', () => {
  const lines: object[] = []
  const services = {
    config: { trustedProxies: [parseNetwork('10.0.0.0/8')] } as unknown as Config,
    log: { warn: (entry: object) => lines.push(entry) },
  } as unknown as Services
  const from = (forwarded: string): string =>
    clientAddressOf(services, {
      socket: { remoteAddress: '10.0.0.1' },
      get: () => forwarded,
    } as unknown as Request)
  expect(from('203.0.113.7:4711')).toBe('203.0.113.7')
  expect(lines).toEqual([])
  expect(from(`unknown${'x'.repeat(200)}`)).toBe('10.0.0.1')
  expect(from('hidden')).toBe('10.0.0.1')
  expect(lines).toEqual([{ entry: `unknown${'x'.repeat(93)}` }])
})
