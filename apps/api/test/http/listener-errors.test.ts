import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { connectRaw, sendRaw } from '../../../../test/support/raw-http.ts'

const api = useApi()

/** Requests that the listener answers before the app sees them, by what is wrong with them. */
const refused: Readonly<Record<string, readonly [number, (path: string) => string]>> = {
  'two Authorization headers': [
    400,
    (path) => `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\nauthorization: y\r\n\r\n`,
  ],
  'a malformed header': [400, (path) => `POST ${path} HTTP/1.1\r\nHost: a\r\nNot a header\r\n\r\n`],
  'a malformed header after a query': [
    400,
    (path) => `POST ${path}?a=b HTTP/1.1\r\nHost: a\r\nX-A : b\r\n\r\n`,
  ],
  'a target in absolute form': [
    400,
    (path) => `POST http://a${path} HTTP/1.1\r\nHost: a\r\nX-A : b\r\n\r\n`,
  ],
  'no Host': [400, (path) => `POST ${path} HTTP/1.1\r\n\r\n`],
  'another version': [400, (path) => `POST ${path} HTTP/2.0\r\nHost: a\r\n\r\n`],
  'an unknown method': [400, (path) => `FOO ${path} HTTP/1.1\r\nHost: a\r\n\r\n`],
  'two lengths': [
    400,
    (path) =>
      `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
  ],
  'large headers': [
    413,
    (path) => `POST ${path} HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(17_000)}\r\n\r\n`,
  ],
  'many headers': [
    413,
    (path) => `POST ${path} HTTP/1.1\r\nHost: a\r\n${'X-A: b\r\n'.repeat(101)}\r\n`,
  ],
  'a long query': [413, (path) => `GET ${path}?${'a'.repeat(8_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
}

const oauthPaths = [
  '/oauth/token',
  '/oauth/device_authorization',
  '/oauth/revoke',
  '/oauth/unknown',
  '/oauth',
  '/api/v1/auth/token',
]
const cases = Object.entries(refused)

async function errorOf(text: string) {
  const [response, ...others] = await sendRaw(api.url, text)
  expect(others).toEqual([])
  const { status, headers, body } = response!
  return { ...JSON.parse(body), status, mediaType: headers['content-type'] }
}

describe('a request that the listener refuses', () => {
  test.each(cases)(
    'gets an error of OAuth under /oauth/ and at /auth/token: %s',
    async (_what, [status, textOf]) => {
      for (const path of oauthPaths) {
        const error = await errorOf(textOf(path))
        expect(error).toMatchObject({
          status,
          mediaType: 'application/json',
          error: error.code,
          error_description: error.detail.replaceAll('"', "'"),
          instance: path,
        })
      }
    },
  )

  test.each(cases)(
    'gets a problem document elsewhere, with `error` at the device endpoints: %s',
    async (_what, [status, textOf]) => {
      for (const path of ['/api/v1/auth/me', '/oauthx', '/OAUTH/token', '/sign-in']) {
        const problem = await errorOf(textOf(path))
        expect(problem).toMatchObject({
          status,
          mediaType: 'application/problem+json',
          instance: path,
        })
        expect(problem).not.toHaveProperty('error')
        expect(problem).not.toHaveProperty('error_description')
      }
      const path = '/api/v1/auth/device/token'
      const { error, code, mediaType } = await errorOf(textOf(path))
      expect({ error, mediaType }).toEqual({
        error: status === 400 ? code : undefined,
        mediaType: 'application/problem+json',
      })
    },
  )

  test('an invalid chunk is an error of OAuth where a body is read', async () => {
    for (const path of oauthPaths.filter((name) => !/unknown$|oauth$/.test(name))) {
      const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`
      expect(await errorOf(`${head}zz\r\n`)).toMatchObject({
        status: 400,
        mediaType: 'application/json',
        error: 'malformed_request',
        instance: path,
      })
    }
  })

  test('a later request of a connection gets the format of its own path', async () => {
    const { socket, responses } = await connectRaw(api.url)
    socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
    await new Promise((resolve) => socket.once('data', resolve))
    socket.write('POST /oauth/token HTTP/1.1\r\nHost: a\r\nNot a header\r\n\r\n')
    const second = (await responses)[1]!
    expect(second.headers['content-type']).toBe('application/json')
    expect(JSON.parse(second.body)).toMatchObject({ error: 'malformed_request' })
  })
})
