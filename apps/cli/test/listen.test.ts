import { afterEach, describe, expect, test } from '@jest/globals'
import { Readable } from 'node:stream'
import { makeCertificates } from '../../../test/support/certificates.ts'
import { startReceiver, type Receiver, type Reply } from '../../../test/support/receiver.ts'
import { keyToken, problem } from './support/device-server.ts'
import { failureOf, interruptible, linesOf, makeMachine, type Situation } from './support/hctl.ts'

const secret = { secret: 'whsec_1' }
const eventOf = (id: string, type = 'site.created') => ({
  headers: {
    'Content-Type': 'application/json',
    'User-Agent': 'Hosting-Control/1',
    'Service-Event': type,
    'Service-Delivery': `d-${id}`,
    'Service-Signature': 't=1,v1=abc',
  },
  body: `{"id":"${id}","type":"${type}","data":{"name":"ü"}}`,
})
const end = (code: string) => ({ end: { code, detail: `Because of ${code}.` } })

type Message = object | 'hang'

/** A stream that sends the messages and then breaks off, or stays open. */
function streamOf(messages: readonly Message[]): Reply {
  async function* write() {
    yield ': heartbeat\n\n'
    for (const message of messages) {
      if (message === 'hang') await new Promise(() => undefined)
      yield 'end' in (message as object)
        ? `event: end\ndata: ${JSON.stringify((message as { end: object }).end)}\n\n`
        : `data: ${JSON.stringify(message)}\n\n`
    }
  }
  return {
    status: 200,
    headers: { 'Content-Type': 'text/event-stream' },
    body: Readable.from(write()),
  }
}

let closing: Receiver[] = []
afterEach(async () => {
  for (const receiver of closing) await receiver.close()
  closing = []
})

async function receive(options?: Parameters<typeof startReceiver>[0]): Promise<Receiver> {
  const receiver = await startReceiver(options)
  closing.push(receiver)
  return receiver
}

const eventTypes: Reply = {
  status: 200,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({
    items: [
      { type: 'site.created', resource: 'site' },
      { type: 'job.failed', resource: 'job' },
      { type: 'webhook.ping', resource: 'webhook' },
    ],
  }),
}

/** Listens at a server that gives each connection the next response, and repeats the last one. */
async function listen(responses: readonly (() => Reply)[], words = '', situation: Situation = {}) {
  let opened = 0
  const server = await receive({
    respond: ({ path }) =>
      path.endsWith('/event-types')
        ? eventTypes
        : responses[Math.min(opened++, responses.length - 1)]!(),
  })
  const machine = await makeMachine({ HCTL_URL: server.url, HCTL_TOKEN: keyToken })
  const result = await machine.hctl(`listen ${words}`.trim().split(' '), {
    hurry: true,
    ...situation,
  })
  return { result, server, sleeps: machine.sleeps }
}

const refused = () => streamOf([end('invalid_api_key')])

describe('hctl listen', () => {
  test('forwards matching events with exactly their headers and body, and prints the response', async () => {
    const local = await receive({
      respond: ({ path }) => ({ status: path === '/hook' ? 201 : 404 }),
    })
    const { signal, interrupt } = interruptible()
    const event = eventOf('1')
    const other = eventOf('2', 'job.failed')
    const { result, server } = await listen(
      [() => streamOf([secret, event, other, 'hang'])],
      `--forward-to ${local.url}hook --event-type site.* --json`,
      { signal, onText: (text) => text.includes('"event"') && interrupt() },
    )
    expect(server.requests.at(-1)).toMatchObject({
      path: '/api/v1/webhooks/listen',
      headers: { authorization: `Bearer ${keyToken}` },
    })
    const received = await local.next()
    expect(local.requests).toHaveLength(1)
    expect(received).toMatchObject({ method: 'POST', path: '/hook' })
    expect(received.body.toString()).toBe(event.body)
    const names = received.rawHeaders.filter((_, index) => index % 2 === 0)
    expect(names).toEqual([...Object.keys(event.headers), 'Content-Length', 'Host', 'Connection'])
    expect(received.headers).toMatchObject({ 'service-signature': 't=1,v1=abc' })
    expect(linesOf(result)).toEqual([
      { status: 'listening', secret: 'whsec_1', forward_to: `${local.url}hook` },
      {
        status: 'event',
        at: expect.any(String),
        type: 'site.created',
        id: '1',
        response: { status: 201, error: null, duration_ms: expect.any(Number) },
      },
    ])
    expect(failureOf(result)).toEqual({ exit: 130, code: 'interrupted' })
  })

  test.each([
    ['', '/api/v1/webhooks/listen'],
    ['--standard-webhooks', '/api/v1/webhooks/listen?standard_webhooks=true'],
  ])(
    'asks for the headers of Standard Webhooks only with --standard-webhooks: "%s"',
    async (words, path) => {
      const { server } = await listen([refused], words)
      expect(server.requests.at(-1)).toMatchObject({ path })
    },
  )

  test('prints the error if nothing listens at the local URL, and continues', async () => {
    const { signal, interrupt } = interruptible()
    const shown: string[] = []
    const { result } = await listen(
      [() => streamOf([secret, eventOf('1'), eventOf('2'), 'hang'])],
      // A port that no program is given by chance.
      '--forward-to 127.0.0.1:1',
      { signal, onText: (text) => shown.push(text) === 4 && interrupt() },
    )
    expect(result.code).toBe(130)
    expect(result.stdout).toMatch(/Signing secret {2}whsec_1/)
    expect(
      result.stdout.match(/Z {2}site\.created {2}[12] {2}ECONNREFUSED {2}\d+ ms/g),
    ).toHaveLength(2)
  })

  test('reconnects with growing delays until the server refuses the key: exit code 3', async () => {
    const { result, server, sleeps } = await listen([
      () => streamOf([secret, end('restarting')]),
      () => 'reset',
      () => problem(503, 'service_unavailable'),
      () => problem(409, 'conflict'),
      () => streamOf([{ secret: 'whsec_2' }]),
      refused,
    ])
    expect(server.requests).toHaveLength(6)
    expect(result).toMatchObject({ code: 3, stdout: expect.stringMatching(/whsec_1[^]*whsec_2/) })
    expect(result.stderr.match(/Connecting again/g)).toHaveLength(5)
    expect(result.stderr).toContain('Because of invalid_api_key.')
    const spans = [
      [500, 1_000],
      [1_000, 2_000],
      [2_000, 4_000],
      [4_000, 8_000],
      [500, 1_000],
    ] as const
    for (const [index, [least, most]] of spans.entries()) {
      expect(sleeps[index]).toBeGreaterThanOrEqual(least)
      expect(sleeps[index]).toBeLessThanOrEqual(most)
    }
  })

  test.each([
    ['a refused key', () => problem(401, 'invalid_api_key'), 'invalid_api_key', 3],
    ['five streams already', () => problem(409, 'conflict'), 'conflict', 1],
    ['no connection', (): Reply => 'reset', 'no_connection', 1],
  ])('does not retry the first connection: %s', async (_what, response, code, exit) => {
    const { result, server } = await listen([response], '--json')
    expect(failureOf(result)).toEqual({ exit, code })
    expect(server.requests).toHaveLength(1)
  })

  test.each(['foo.*', 'site.deletedd', 'webhook.*', 'webhook.ping'])(
    'refuses the pattern %s, which no event matches, as webhooks create does',
    async (pattern) => {
      const { result, server } = await listen([refused], `--event-type site.*,${pattern} --json`)
      expect(failureOf(result)).toEqual({ exit: 2, code: 'validation_failed' })
      expect(result.stderr).toContain(`--event-type ${pattern} is not an event type`)
      expect(server.requests).toHaveLength(1)
    },
  )

  test('ends with filter_failed at the first event for which the filter fails', async () => {
    const local = await receive({ respond: () => ({ status: 204 }) })
    const { result } = await listen(
      [() => streamOf([secret, eventOf('1'), eventOf('2'), 'hang'])],
      `--forward-to ${local.url}hook --jq .response.duration_ms+"ms"`,
    )
    expect(failureOf(result)).toEqual({ exit: 1, code: 'filter_failed' })
    expect(result.stderr.trim().split('\n')).toHaveLength(1)
    expect(result.stdout).toBe('ms\n')
  })

  test('ends quietly with Ctrl-C', async () => {
    const { signal, interrupt } = interruptible()
    const { result } = await listen([() => streamOf([secret, 'hang'])], '', {
      signal,
      onText: (text) => text.includes('whsec_1') && interrupt(),
    })
    expect(result).toMatchObject({ code: 130, stderr: '' })
  })
})

describe('hctl listen to https on this machine', () => {
  const event = () => streamOf([secret, eventOf('1'), 'hang'])

  test('says how to accept its certificate, and accepts any with --skip-verify', async () => {
    const local = await receive({
      tls: await makeCertificates({ addresses: ['127.0.0.1'], selfSigned: true }),
    })
    for (const [words, shown] of [
      ['', /CERT\b.+\n/],
      [' --skip-verify', /HTTP 204/],
    ] as const) {
      const { signal, interrupt } = interruptible()
      const { result } = await listen([event], `--forward-to ${local.url}${words}`, {
        signal,
        onText: (text) => text.includes('site.created') && setImmediate(interrupt),
      })
      expect(result.stdout).toMatch(shown)
      const hint = 'is not trusted. Use --skip-verify, or set NODE_EXTRA_CA_CERTS'
      expect(result.stderr.includes(hint)).toBe(words === '')
    }
    expect(local.requests).toHaveLength(1)
  })

  test.each([
    '--skip-verify',
    '--skip-verify --forward-to http://127.0.0.1:3000',
    '--skip-verify --forward-to https://hooks.example.com',
    '--skip-verify --forward-to https://127.0.0.1.example.com',
    '--skip-verify --forward-to https://10.0.0.1',
  ])('refuses %s', async (words) => {
    const { result, server } = await listen([event], `${words} --json`)
    expect(failureOf(result)).toEqual({ exit: 2, code: 'usage' })
    expect(server.requests).toEqual([])
  })

  test('does not print the password of the URL', async () => {
    const local = await receive()
    const url = local.url.replace('//', '//user:s3cret@')
    const { signal, interrupt } = interruptible()
    const { result } = await listen([event], `--forward-to ${url} --json`, {
      signal,
      onText: (text) => text.includes('site.created') && interrupt(),
    })
    expect((await local.next()).headers.authorization).toBe(`Basic ${btoa('user:s3cret')}`)
    expect(result.stdout + result.stderr).not.toContain('s3cret')
  })
})
