import type { Logger } from '@hosting/process'
import { beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { EventEmitter } from 'node:events'
import { expectGuarded } from '../../../test/support/guarded.ts'
import { connectRaw, sendRaw } from '../../../test/support/raw-http.ts'
import {
  createEcho,
  expectProblem,
  get,
  host,
  malformed,
  post,
  useListeners,
} from './support/echo.ts'

const open = useListeners()

describe('a malformed or ambiguous request', () => {
  const served: string[] = []
  let url: string
  beforeAll(async () => {
    const events = new EventEmitter()
    events.on('request', (method: string) => served.push(method))
    url = await open(createEcho(events))
  })

  const smuggled = `0\r\n\r\nGET /smuggled HTTP/1.1\r\n${host}\r\n`
  const chunked = 'Transfer-Encoding: chunked'
  test.each([
    ['Content-Length and Transfer-Encoding', post(`Content-Length: 4\r\n${chunked}`, smuggled)],
    ['Transfer-Encoding and Content-Length', post(`${chunked}\r\nContent-Length: 4`, smuggled)],
    ['two lengths', post('Content-Length: 1\r\nContent-Length: 2', 'ab')],
    ['the same length twice', post('Content-Length: 1\r\nContent-Length: 1', 'a')],
    ['a list of lengths', post('Content-Length: 1, 1', 'a')],
    ['a length with a sign', post('Content-Length: +1', 'a')],
    ['a negative length', post('Content-Length: -1', 'a')],
    ['a length in hex', post('Content-Length: 0x1', 'a')],
    ['a length beyond all numbers', post('Content-Length: 99999999999999999999', 'a')],
    ['a transfer coding that is none', post('Transfer-Encoding: xchunked', smuggled)],
    ['chunked before another coding', post(`${chunked}, identity`, smuggled)],
    ['chunked after another coding', post('Transfer-Encoding: gzip, chunked', smuggled)],
    ['two fields of codings', post(`${chunked}\r\nTransfer-Encoding: identity`, smuggled)],
    ['a space before the colon', post('Transfer-Encoding : chunked', smuggled)],
    ['a control character before the coding', post('Transfer-Encoding: \x0bchunked', smuggled)],
    ['chunked in HTTP/1.0', `POST / HTTP/1.0\r\n${chunked}\r\n\r\n${smuggled}`],
    ['a folded line', `GET / HTTP/1.1\r\n${host}X-A: a\r\n b\r\n\r\n`],
    ['bare line feeds', `GET / HTTP/1.1\nHost: a\n\n`],
    ['one bare line feed', `GET / HTTP/1.1\r\nHost: a\nX-A: b\r\n\r\n`],
    ['a bare carriage return', `GET / HTTP/1.1\r\nHost: a\rX-A: b\r\n\r\n`],
    ['a NUL in a field', `GET / HTTP/1.1\r\n${host}X-A: a\0b\r\n\r\n`],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
    ['a list of Hosts', 'GET / HTTP/1.1\r\nHost: a, b\r\n\r\n'],
    ['a Host with a path', 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n'],
    ['a Host with credentials', 'GET / HTTP/1.1\r\nHost: a@b\r\n\r\n'],
    ['two Hosts', `GET / HTTP/1.1\r\n${host}hOST: b\r\n\r\n`],
    [
      'two Authorizations',
      `GET / HTTP/1.1\r\n${host}Authorization: Bearer a\r\nauthorization: Bearer b\r\n\r\n`,
    ],
    ['a method that is none', `FOO / HTTP/1.1\r\n${host}\r\n`],
    ['a space in the target', `GET /a b HTTP/1.1\r\n${host}\r\n`],
    ['HTTP/2 in the words of HTTP/1.1', `GET / HTTP/2.0\r\n${host}\r\n`],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['the hello of TLS', '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03'],
  ])('is 400 malformed_request and does not reach the app: %s', async (_what, text) => {
    served.length = 0
    expectProblem(await sendRaw(url, text), malformed)
    expect(served).toEqual([])
  })

  test.each([
    ['an invalid size', 'zz\r\na\r\n0\r\n\r\n'],
    ['only line feeds', '1\na\n0\n\n'],
    ['more data than its size', '1\r\naXX0\r\n\r\n'],
  ])(
    '400 malformed_request for a chunk with %s; what follows is not served',
    async (_what, body) => {
      served.length = 0
      const text = post(
        'Transfer-Encoding: chunked',
        `${body}GET /smuggled HTTP/1.1\r\n${host}\r\n`,
      )
      expectProblem(await sendRaw(url, text), { ...malformed, instance: '/' })
      expect(served).toEqual(['POST'])
    },
  )

  test('any bytes get a valid response or a problem document, and the next request is served', async () => {
    const lines = [
      'POST /a?b=c HTTP/1.1\r\n',
      host,
      'Transfer-Encoding: chunked\r\n',
      'Content-Length: 4\r\n',
      'Connection: close\r\n',
      'Connection: keep-alive\r\n',
      'Expect: 100-continue\r\n',
      'Upgrade: h2c\r\n',
      'Range: bytes=0-\r\n',
      '\r\n',
      '\n',
      '\r',
      ' ',
      ':',
      '4\r\nabcd\r\n',
      '0\r\n\r\n',
      'abcd',
      get,
    ]
    const byte = fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code))
    const texts = fc
      .array(fc.oneof({ arbitrary: fc.constantFrom(...lines), weight: 6 }, byte), { maxLength: 12 })
      .map((parts) => parts.join(''))
    const send = async (text: string): Promise<void> => {
      const { socket, responses } = await connectRaw(url)
      // No more data follows, so the response does not wait for it.
      socket.end(text, 'latin1')
      for (const { status, headers } of await responses) {
        expect(status).toBeLessThan(500)
        if (status === 100) continue
        expectGuarded(headers)
        expect(headers['content-type']).toMatch(/^application\/(problem\+)?json/)
      }
      const [response] = await sendRaw(url, get)
      expect(response!.status).toBe(200)
    }
    await fc.assert(fc.asyncProperty(texts, send), { seed: 1, numRuns: 300 })
  })

  test('no error is sent in place of the response to an earlier request in progress', async () => {
    served.length = 0
    const whole = `GET /one HTTP/1.1\r\n${host}\r\n`
    const responses = await sendRaw(url, `${whole}NONSENSE\r\n\r\n`)
    expect(served).toEqual(['GET'])
    expect(responses.filter(({ status }) => status !== 200)).toEqual([])
  })

  test('the log has the reason and the request id of the response, and none of the data', async () => {
    const logged: { requestId: string }[] = []
    const log = { debug: (entry: { requestId: string }) => logged.push(entry) }
    const logging = await open(createEcho(), {}, log as unknown as Logger)
    const secret = 'hctl_secret'
    const [response] = await sendRaw(logging, `GET /${secret} HTTP/1.1\r\nX-A: ${secret}\r\n\r\n`)
    expect(logged).toEqual([
      {
        requestId: response!.headers['x-request-id'],
        status: 400,
        code: 'malformed_request',
        reason: 'The request must have one Host header field.',
      },
    ])
  })

  test('the request id of the client is used if it was read and is valid', async () => {
    const twoHosts = (id: string) =>
      `GET /x?y HTTP/1.1\r\n${host}${host}X-Request-Id: ${id}\r\n\r\n`
    expectProblem(await sendRaw(url, twoHosts('mine-1')), { request_id: 'mine-1', instance: '/x' })
    const [response] = await sendRaw(url, twoHosts('not mine'))
    expect(response!.headers['x-request-id']).not.toContain('not mine')
  })
})
