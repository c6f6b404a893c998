import { beforeAll, describe, expect, test } from '@jest/globals'
import { sendRaw } from '../../../test/support/raw-http.ts'
import {
  createEcho,
  expectProblem,
  get,
  host,
  post,
  tooLarge,
  useListeners,
} from './support/echo.ts'

const open = useListeners()

describe('other features of HTTP', () => {
  let url: string
  beforeAll(async () => {
    url = await open(createEcho())
  })

  test('405 method_not_allowed for CONNECT', async () => {
    const responses = await sendRaw(
      url,
      'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n',
    )
    expectProblem(responses, { status: 405, code: 'method_not_allowed' })
    expect(responses[0]!.headers['allow']).toContain('GET')
  })

  test.each(['websocket', 'h2c', 'TLS/1.3'])(
    'an upgrade to %s is ignored, and the request is served',
    async (protocol) => {
      const lines = `Connection: Upgrade, close\r\nUpgrade: ${protocol}`
      const [response] = await sendRaw(url, `GET / HTTP/1.1\r\n${host}${lines}\r\n\r\n`)
      expect(response!.status).toBe(200)
    },
  )

  test('an unknown expectation is ignored, and the request is served', async () => {
    const lines = 'Expect: wonders\r\nContent-Length: 1\r\nConnection: close'
    const [response] = await sendRaw(url, post(lines, 'a'))
    expect(response!.status).toBe(200)
    expect(JSON.parse(response!.body)).toMatchObject({ body: 'a' })
  })

  test('Expect: 100-continue gets 100 Continue', async () => {
    const lines = 'Expect: 100-continue\r\nContent-Length: 1\r\nConnection: close'
    const responses = await sendRaw(url, post(lines, 'a'))
    expect(responses.map(({ status }) => status)).toEqual([100, 200])
  })

  test.each([
    ['http://other.example/a?b=c', '/a?b=c'],
    ['HTTPS://other.example', '/'],
    ['http://other.example?b', '/?b'],
    ['http://user@other.example:1//a', '//a'],
  ])('the app sees only the path and the query of the target %s', async (target, seen) => {
    const [response] = await sendRaw(
      url,
      `GET ${target} HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
    )
    expect(JSON.parse(response!.body)).toMatchObject({ url: seen })
  })

  test('HTTP/1.0 is served, even without a Host', async () => {
    const [response] = await sendRaw(url, 'GET / HTTP/1.0\r\n\r\n')
    expect(response!.status).toBe(200)
  })
})

describe('large headers', () => {
  let url: string
  beforeAll(async () => {
    url = await open(createEcho())
  })
  const withLines = (lines: string) => `GET / HTTP/1.1\r\n${host}Connection: close\r\n${lines}\r\n`

  test('15 KiB are accepted, more than 16 KiB are 413 payload_too_large', async () => {
    const [response] = await sendRaw(url, withLines(`X-A: ${'a'.repeat(15 * 2 ** 10)}\r\n`))
    expect(response!.status).toBe(200)
    const over = await sendRaw(url, withLines(`X-A: ${'a'.repeat(16 * 2 ** 10)}\r\n`))
    expectProblem(over, { ...tooLarge, detail: 'The header fields are larger than 16 KiB.' })
  })

  test('100 fields are accepted, 101 are 413 payload_too_large', async () => {
    const [response] = await sendRaw(url, withLines('A: b\r\n'.repeat(98)))
    expect(response!.status).toBe(200)
    expectProblem(await sendRaw(url, withLines('A: b\r\n'.repeat(99))), tooLarge)
  })

  test('a URL of 8,000 bytes is accepted, one of 8,001 is 413 payload_too_large', async () => {
    const ofBytes = (bytes: number) => get.replace('/ ', `/${'a'.repeat(bytes - 1)} `)
    expect((await sendRaw(url, ofBytes(8_000)))[0]!.status).toBe(200)
    expectProblem(await sendRaw(url, ofBytes(8_001)), tooLarge)
  })

  test('413 payload_too_large for chunk extensions over 16 KiB', async () => {
    const body = `1;${'a'.repeat(17 * 2 ** 10)}\r\na\r\n0\r\n\r\n`
    expectProblem(await sendRaw(url, post('Transfer-Encoding: chunked', body)), tooLarge)
  })
})
