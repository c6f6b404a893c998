import { describe, expect, test } from '@jest/globals'
import { json, problem, useServer, type Responder } from '../../packages/sdk/test/support/server.ts'
import { root } from '../../tools/run.ts'
import { runExample } from '../support/run-example.ts'

const server = useServer()

interface Printed {
  readonly result: unknown
  readonly seconds: number
  readonly waits: number
  /** The longest wait, in seconds. */
  readonly longest: number
}

/** Runs a function of the driver against the responses, of which the last is repeated. */
async function run(what: string, ...responders: Responder[]): Promise<Printed> {
  server.responders = responders
  const driver = `${root}test/clients/drivers/outages.py`
  const environment = { PYTHONPATH: `${root}clients/python` }
  const running = runExample(['python3', '-B', driver, server.baseUrl, what], environment)
  await running.ended
  const [printed] = await running.line(/^\{"result.+$/)
  return JSON.parse(printed) as Printed
}

/** More failures than the exponents of a float. */
const failures = 1_100
const outage = (status: number): Responder[] =>
  Array.from({ length: failures }, () => problem(status, 'unavailable'))

describe('the Python client outlasts any number of failures', () => {
  test('when it follows the event log', async () => {
    const page = json(200, { items: [{ id: 'event-1' }], next_cursor: 'c', has_more: false })
    const { result, waits, longest } = await run('follow', ...outage(503), page)
    expect([result, waits, longest]).toEqual(['event-1', failures, 30])
  })

  test('when it waits for the approval of a device login', async () => {
    const approved = json(200, { access_token: 'hctl_new' })
    const { result, waits, longest } = await run('login', ...outage(503), approved)
    // The first poll waits too.
    expect([result, waits, longest]).toEqual(['hctl_new', failures + 1, 30])
  })

  test('when it retries a request', async () => {
    const found = json(200, { webhook: { id: 'webhook-1' } })
    const { result, waits, longest } = await run('retry', ...outage(502), found)
    expect([result, waits]).toEqual(['webhook-1', failures])
    expect(longest).toBeLessThanOrEqual(8)
  })
})

describe('the time that an attempt of the Python client may take', () => {
  /** Sends a byte every 0.3 s, in a body with a length or in chunks. */
  const trickle =
    (headers: Record<string, string>): Responder =>
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers }).flushHeaders()
      const timer = setInterval(() => response.write(' '), 300)
      response.on('close', () => clearInterval(timer))
    }

  test.each([{ 'content-length': '100' }, { 'transfer-encoding': 'chunked' }])(
    'ends a response that arrives byte by byte, with %j',
    async (headers) => {
      const { result, seconds } = await run('read_slowly', trickle(headers))
      expect(result).toMatch(/^127\.0\.0\.1:\d+ did not respond in time\.$/)
      expect(seconds).toBeGreaterThanOrEqual(1)
      // The whole body would take 30 s.
      expect(seconds).toBeLessThan(10)
    },
  )

  test('does not discard a body that is complete', async () => {
    const found = json(200, { webhook: { id: 'webhook-1' } })
    const length = String(JSON.stringify({ webhook: { id: 'webhook-1' } }).length)
    const { result } = await run('read_late', (response) => {
      response.setHeader('content-length', length)
      found(response)
    })
    expect(result).toBe('webhook-1')
  })
})
