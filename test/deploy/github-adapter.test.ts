import { createKeySecret, formatKeyToken } from '@hosting/core/api-keys'
import { beforeAll, afterAll, describe, expect, test } from '@jest/globals'
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createAdapter, readPublicKeys } from '../../deploy/secret-scanning/github-adapter.ts'
import { useApi } from '../support/api.ts'

const api = useApi()
const github = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const keyId = 'f9525bf080f75b3506ca1ead061add62b8633a346606dc5fe544e29231c6ee0d'
/** The document that GitHub publishes, in its format. */
const published = JSON.stringify({
  public_keys: [
    {
      key_identifier: keyId,
      key: github.publicKey.export({ type: 'spki', format: 'pem' }),
      is_current: true,
    },
  ],
})

const servers: ReturnType<typeof createAdapter>[] = []
let url = ''

async function start(descendants: boolean): Promise<string> {
  const publicKeys = readPublicKeys(published)
  const server = createAdapter({ apiUrl: `${api.url}/api/v1`, publicKeys, descendants })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

beforeAll(async () => {
  url = await start(false)
})
afterAll(() => servers.forEach((server) => server.close()))

/** The headers of an alert that GitHub sends. */
const signed = (body: string, privateKey: KeyObject = github.privateKey, id = keyId) => ({
  'content-type': 'application/json',
  'github-public-key-identifier': id,
  'github-public-key-signature': sign('sha256', Buffer.from(body), privateKey).toString('base64'),
})

const alertOf = (...tokens: string[]): string =>
  JSON.stringify(
    tokens.map((token) => ({
      token,
      type: 'hosting_control_api_key',
      url: 'https://github.com/octocat/Hello-World/blob/main/config.env',
      source: 'content',
    })),
  )

const post = async (body: string, headers: Record<string, string>, to = url): Promise<number> =>
  (await fetch(`${to}/github`, { method: 'POST', body, headers })).status

const statusWith = async (token: string): Promise<number> =>
  (await api.call('get', '/auth/me', { token })).status

describe('the adapter for GitHub secret scanning', () => {
  test('revokes each key of a signed alert, and ignores tokens that are not keys', async () => {
    const tenant = await api.makeTenant()
    const [one, two] = [await tenant.makeKey(), await tenant.makeKey()]
    const wrong = formatKeyToken(createKeySecret(two.id))
    const body = alertOf(one.token, one.token, `${two.token.slice(0, -1)}!`, 'nonsense', wrong)
    expect(await post(body, signed(body))).toBe(200)
    expect(await statusWith(one.token)).toBe(401)
    expect(await statusWith(two.token)).toBe(200)
  })

  test('revokes descendants only if it is configured to', async () => {
    const tenant = await api.makeTenant()
    for (const [descendants, status] of [
      [false, 200],
      [true, 401],
    ] as const) {
      const { token } = await tenant.makeKey()
      const child = await api.call('post', '/api-keys', {
        token,
        body: { name: 'child', scopes: ['*'] },
      })
      const body = alertOf(token)
      expect(await post(body, signed(body), await start(descendants))).toBe(200)
      expect(await statusWith(token)).toBe(401)
      expect(await statusWith(child.body.token as string)).toBe(status)
    }
  })

  test('401 for an invalid signature, and nothing is revoked', async () => {
    const { token } = await (await api.makeTenant()).makeKey()
    const body = alertOf(token)
    const { 'github-public-key-signature': signature, ...unsigned } = signed(body)
    const attempts: [body: string, headers: Record<string, string>][] = [
      [body, { 'content-type': 'application/json' }],
      [body, unsigned],
      [body, { ...unsigned, 'github-public-key-signature': 'nonsense' }],
      [body, signed(body, stranger.privateKey)],
      [body, signed(body, github.privateKey, 'unknown')],
      [`${body} `, { ...unsigned, 'github-public-key-signature': signature }],
    ]
    for (const [sent, headers] of attempts) expect(await post(sent, headers)).toBe(401)
    expect(await statusWith(token)).toBe(200)
  })

  test('400 for a signed body that is not a list, 413 for a large one, 404 for other paths', async () => {
    expect(await post('{', signed('{'))).toBe(400)
    expect(await post('{}', signed('{}'))).toBe(400)
    const large = 'a'.repeat(2 ** 20 + 1)
    expect(await post(large, signed(large))).toBe(413)
    expect((await fetch(`${url}/github`)).status).toBe(404)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
  })

  test('502 if the API is unreachable, so that GitHub sends the alert again', async () => {
    const server = createAdapter({
      apiUrl: 'http://127.0.0.1:1/api/v1',
      publicKeys: readPublicKeys(published),
      descendants: false,
    })
    servers.push(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { token } = await (await api.makeTenant()).makeKey()
    const body = alertOf(token)
    const to = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    expect(await post(body, signed(body), to)).toBe(502)
  })
})
