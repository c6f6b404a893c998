import { listen, type Listener, type ListenerLimits, type Logger } from '@hosting/process'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import express, { type Express } from 'express'
import fc from 'fast-check'
import { EventEmitter, once } from 'node:events'
import { expectGuarded, strictestPolicy } from '../../../test/support/guarded.ts'
import { connectRaw, sendRaw, type RawResponse } from '../../../test/support/raw-http.ts'

/** Echoes the request once its body is complete. `/large` sends more than any buffer can hold. */
function createEcho(events = new EventEmitter()): Express {
  const app = express().disable('x-powered-by')
  app.get('/large', (_req, res) => {
    res.once('close', () => events.emit('closed', res.writableFinished))
    res.end(Buffer.alloc(64 * 2 ** 20))
  })
  app.use((req, res) => {
    events.emit('request', req.method)
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.once('end', () => {
      res.json({ method: req.method, url: req.url, body: Buffer.concat(chunks).toString() })
    })
  })
  return app
}

const opened: Listener[] = []
afterAll(() => Promise.all(opened.map((listener) => listener.close())))

async function open(
  app: Express,
  limits: Partial<ListenerLimits> = {},
  log?: Logger,
): Promise<string> {
  const further = log ? { log } : {}
  const listener = await listen(app, { host: '127.0.0.1', port: 0, limits, ...further })
  opened.push(listener)
  return `http://127.0.0.1:${listener.port}`
}

/** Expects one response, a problem document, on a connection that is then closed. */
function expectProblem(responses: readonly RawResponse[], expected: object): void {
  expect(responses).toHaveLength(1)
  const [{ status, headers, body }] = responses as [RawResponse]
  expectGuarded(headers)
  expect(headers).toMatchObject({
    'content-type': 'application/problem+json',
    'content-security-policy': strictestPolicy,
    'cache-control': 'no-store',
    connection: 'close',
  })
  const problem = JSON.parse(body)
  expect(problem).toMatchObject({
    status,
    type: `/problems/${problem.code}`,
    title: expect.any(String),
    detail: expect.any(String),
    instance: expect.any(String),
    request_id: headers['x-request-id'],
    ...expected,
  })
  expect(problem.request_id).toMatch(/^[\w.-]{1,128}$/)
}

const malformed = { status: 400, code: 'malformed_request' }
const tooLarge = { status: 413, code: 'payload_too_large' }
const host = 'Host: a\r\n'
const get = `GET / HTTP/1.1\r\n${host}Connection: close\r\n\r\n`
/** A POST with these header lines and this body. */
const post = (lines: string, body: string): string =>
  `POST / HTTP/1.1\r\n${host}${lines}\r\n\r\n${body}`

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
      const { socket, answers } = await connectRaw(url)
      // No more data follows, so the response does not wait for it.
      socket.end(text, 'latin1')
      for (const { status, headers } of await answers) {
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
    const answers = await sendRaw(url, `${whole}NONSENSE\r\n\r\n`)
    expect(served).toEqual(['GET'])
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
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

describe('other features of HTTP', () => {
  let url: string
  beforeAll(async () => {
    url = await open(createEcho())
  })

  test('405 method_not_allowed for CONNECT', async () => {
    const answers = await sendRaw(
      url,
      'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n',
    )
    expectProblem(answers, { status: 405, code: 'method_not_allowed' })
    expect(answers[0]!.headers['allow']).toContain('GET')
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
    const answers = await sendRaw(url, post(lines, 'a'))
    expect(answers.map(({ status }) => status)).toEqual([100, 200])
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

describe('slow clients', () => {
  const limits = { headersMs: 150, requestMs: 300, checkEveryMs: 20 }

  /** Sends a start and then single bytes at intervals until the connection is closed. */
  async function dribble(url: string, start: string): Promise<RawResponse[]> {
    const { socket, answers } = await connectRaw(url)
    socket.write(start)
    const drops = setInterval(() => socket.write('a'), 50)
    return answers.finally(() => clearInterval(drops))
  }

  test('each of 200 that send headers or bodies slowly is closed at the limit, while others are served', async () => {
    // Longer than a busy machine takes to read the data of 200 clients: all clients have this limit.
    const url = await open(createEcho(), { headersMs: 1_500, requestMs: 3_000, checkEveryMs: 20 })
    let ended = 0
    const slow = Array.from({ length: 200 }, async (_, index) => {
      const start =
        index % 2 === 0 ? `GET / HTTP/1.1\r\n${host}X-A: ` : post('Content-Length: 1000000', 'a')
      const answers = await dribble(url, start)
      ended += 1
      return answers
    })
    // Starts once all are connected and lasts while any of them is.
    const allEnded = Promise.all(slow)
    let served = 0
    while (ended < slow.length) {
      const [response] = await sendRaw(url, get)
      expect(response!.status).toBe(200)
      served += 1
    }
    expect(served).toBeGreaterThan(1)
    for (const answers of await allEnded) {
      expectProblem(answers, { ...malformed, detail: 'The request did not come whole in time.' })
    }
  })

  test('a connection without any data is closed without a response', async () => {
    const url = await open(createEcho(), limits)
    const { answers } = await connectRaw(url)
    expect(await answers).toEqual([])
  })

  test('a connection without further requests is closed', async () => {
    const url = await open(createEcho(), { keepAliveMs: 1 })
    const answers = await sendRaw(url, get.replace('Connection: close\r\n', ''))
    expect(answers.map(({ status }) => status)).toEqual([200])
  })

  test('a client that does not read its response is disconnected', async () => {
    const events = new EventEmitter()
    const url = await open(createEcho(events), { stalledMs: 1_000 })
    const { socket } = await connectRaw(url)
    socket.pause()
    socket.write(get.replace('/ ', '/large '))
    const [wasSent] = (await once(events, 'closed')) as [boolean]
    expect(wasSent).toBe(false)
    socket.destroy()
  })

  test('connections beyond the limit are closed immediately, and existing ones are served', async () => {
    const url = await open(createEcho(), { connectionsMax: 2 })
    const [first, second] = [await connectRaw(url), await connectRaw(url)]
    expect(await (await connectRaw(url)).answers).toEqual([])
    for (const { socket, answers } of [first, second]) {
      socket.write(get)
      expect((await answers).map(({ status }) => status)).toEqual([200])
    }
  })
})

describe('a listener that closes', () => {
  const limits = { closingMs: 50, drainMs: 300 }
  const openOwn = (events?: EventEmitter) =>
    listen(createEcho(events), { host: '127.0.0.1', port: 0, limits })

  test.each([
    ['nothing', ''],
    ['half a header', `GET / HTTP/1.1\r\nHo`],
    ['half a body', post('Content-Length: 9', 'a')],
  ])('does not wait for a client that sent %s', async (_what, text) => {
    const events = new EventEmitter()
    const listener = await openOwn(events)
    const { socket, answers } = await connectRaw(`http://127.0.0.1:${listener.port}`)
    const seen = text.startsWith('POST') ? once(events, 'request') : undefined
    socket.write(text)
    await seen
    await listener.close()
    expect(await answers).toEqual([])
  })

  test('completes a request in progress', async () => {
    const events = new EventEmitter()
    const listener = await listen(createEcho(events), { host: '127.0.0.1', port: 0 })
    const { socket, answers } = await connectRaw(`http://127.0.0.1:${listener.port}`)
    const seen = once(events, 'request')
    socket.write(post('Content-Length: 9', 'a'))
    await seen
    const closed = listener.close()
    socket.write('bcdefghi')
    expect((await answers).map(({ status }) => status)).toEqual([200])
    await closed
  })
})
