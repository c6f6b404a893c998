import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestTenant } from '../support/api.ts'
import { callerOf } from '../support/caller.ts'
import { startCollector, type CollectedSpan } from '../support/collector.ts'
import { siteData } from '../support/events.ts'
import { startReceiver, type Receiver, type Reply } from '../support/receiver.ts'
import { until, useStack } from '../support/stack.ts'
import { webhookUser, type Subscription } from '../support/webhook-user.ts'

const collector = await startCollector()
// The process that creates the tests' fixtures exports no traces, so all traces come from the processes under test.
const stack = useStack({ LOG_LEVEL: 'debug', WEBHOOK_RETRY_DELAYS_SECONDS: '0.2,60' })
const traced = {
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector-secret',
}
const { subscribe, endedDelivery } = webhookUser(stack)

const replies: Reply[] = []
let receiver: Receiver
let tenant: TestTenant
let subscription: Subscription

beforeAll(async () => {
  receiver = await startReceiver({ respond: () => replies.shift() ?? { status: 204 } })
  tenant = await stack.api.makeTenant()
  subscription = await subscribe(tenant, `${receiver.url}in?key=query-secret`)
})
afterAll(async () => {
  await receiver.close()
  await collector.close()
})

const startTraced = () => Promise.all([stack.startApi(traced), stack.startWorker(traced)])

const newTrace = () => {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')]
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-01` }
}

const event = () => ({
  tenant_id: tenant.id,
  type: 'site.created',
  data: { ...siteData, primary_domain: 'payload-secret.example.com' },
})

const toEntry = (line: string) => JSON.parse(line) as Record<string, unknown> & { time: number }

const named = (spans: readonly CollectedSpan[], name: string): CollectedSpan[] =>
  spans.filter((span) => span.name === name)

const numberOf = ({ attributes }: CollectedSpan): number =>
  Number(attributes['hosting.delivery.attempt'])

/** In chronological order, whichever worker sent them first. */
const attemptsIn = (spans: readonly CollectedSpan[]): CollectedSpan[] =>
  named(spans, 'process deliveries').toSorted((a, b) => numberOf(a) - numberOf(b))

describe('a published event whose first attempt fails', () => {
  const caller = newTrace()
  const stranger = newTrace()
  let deliveryId: string
  let spans: readonly CollectedSpan[]
  let lines: Record<string, unknown>[]
  let publicResponses: CollectedSpan[]

  beforeAll(async () => {
    const [api, worker] = await startTraced()
    replies.push({ status: 500 })
    const published = await fetch(`http://127.0.0.1:${api.internalPort}/internal/v1/events`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer test-service-token',
        'content-type': 'application/json',
        traceparent: caller.traceparent,
        'x-request-id': 'publishing',
      },
      body: JSON.stringify(event()),
    })
    expect(published.status).toBe(202)
    const { id, attempt_count } = await endedDelivery(subscription)
    expect(attempt_count).toBe(2)
    deliveryId = id
    const { token } = subscription
    const headers = { traceparent: stranger.traceparent, 'x-request-id': 'by-a-stranger' }
    const path = `/webhook-deliveries/${id}`
    expect((await callerOf(api).call('get', path, { token, headers })).status).toBe(200)
    await fetch(`http://127.0.0.1:${api.internalPort}/metrics`)
    // Spans that are not exported yet are exported at shutdown.
    expect(await Promise.all([api.stop(), worker.stop()])).toEqual([0, 0])
    spans = collector.spans.filter(({ traceId }) => traceId === caller.traceId)
    publicResponses = collector.spans.filter(
      ({ attributes }) => attributes['hosting.request.id'] === 'by-a-stranger',
    )
    const ofWorker = worker.lines.map(toEntry).toSorted((a, b) => a.time - b.time)
    lines = [...api.lines.map(toEntry), ...ofWorker]
  })

  test('is one trace: the request, the publish, and every attempt', () => {
    const [request, ...otherRequests] = named(spans, 'POST /internal/v1/events')
    const [publish, ...otherPublishes] = named(spans, 'publish events')
    const attempts = attemptsIn(spans)
    expect([otherRequests, otherPublishes]).toEqual([[], []])
    expect(request).toMatchObject({
      service: 'hosting-api',
      kind: 2,
      parentSpanId: caller.spanId,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/internal/v1/events',
        'http.response.status_code': 202,
        'hosting.operation': 'internal.events',
        'hosting.request.id': 'publishing',
      },
    })
    expect(publish).toMatchObject({ kind: 4, parentSpanId: request!.spanId })
    const deliveryOf = (number: number) => ({
      service: 'hosting-worker',
      kind: 5,
      parentSpanId: publish!.spanId,
      attributes: { 'hosting.delivery.id': deliveryId, 'hosting.delivery.attempt': number },
    })
    expect(attempts).toMatchObject([
      { ...deliveryOf(1), failed: true },
      { ...deliveryOf(2), failed: false },
    ])
    expect(attempts.map(({ attributes }) => attributes['error.type'])).toEqual([
      'http_error',
      undefined,
    ])
  })

  test('contains a span for the claim, the signing, the sending and the recording of each attempt', () => {
    for (const { spanId } of named(spans, 'process deliveries')) {
      const parts = spans.filter(({ parentSpanId }) => parentSpanId === spanId)
      expect(parts.map(({ name }) => name).toSorted()).toEqual(['POST', 'claim', 'record', 'sign'])
    }
    const sent = attemptsIn(spans).flatMap(({ spanId }) =>
      named(spans, 'POST').filter(({ parentSpanId }) => parentSpanId === spanId),
    )
    expect(sent).toMatchObject(
      [500, 204].map((status) => ({
        kind: 3,
        attributes: {
          'http.request.method': 'POST',
          'server.address': '127.0.0.1',
          'server.port': receiver.port,
          'http.response.status_code': status,
        },
      })),
    )
  })

  test('a trace header on the public port is linked, but neither continued nor used for sampling', () => {
    expect(publicResponses).toMatchObject([
      {
        name: 'GET /api/v1/webhook-deliveries/:id',
        parentSpanId: '',
        linkedTraceIds: [stranger.traceId],
      },
    ])
    expect(publicResponses[0]!.traceId).not.toBe(stranger.traceId)
  })

  test('scrapes create no spans', () => {
    expect(collector.spans.filter(({ name }) => name.includes('/metrics'))).toEqual([])
  })

  test('collectors get no payload, URL or secret', () => {
    const sent = collector.requests.map(({ body }) => body.toString()).join('\n')
    expect(sent).toContain(deliveryId)
    const { token, secret } = subscription
    for (const hidden of ['payload-secret', 'query-secret', token, secret, 'test-service-token']) {
      expect(sent).not.toContain(hidden)
    }
  })

  test('the collector gets its token, which no log contains', () => {
    for (const { path, headers } of collector.requests) {
      expect([path, headers.authorization]).toEqual(['/v1/traces', 'Bearer collector-secret'])
    }
    expect(JSON.stringify(lines)).not.toContain('collector-secret')
  })

  test('receivers get no trace headers', () => {
    expect(receiver.requests).toHaveLength(2)
    for (const { rawHeaders } of receiver.requests) {
      const names = rawHeaders.filter((_, index) => index % 2 === 0).map((n) => n.toLowerCase())
      expect(names).not.toEqual(expect.arrayContaining([expect.stringMatching(/trace|baggage|b3/)]))
      expect(rawHeaders.join()).not.toContain(caller.traceId)
    }
  })

  test('log lines carry its trace_id', () => {
    const ofTrace = lines.filter(({ trace_id }) => trace_id === caller.traceId)
    expect(ofTrace.map(({ msg }) => msg)).toEqual(['request', 'attempt', 'attempt'])
    expect(ofTrace[1]).toMatchObject({ deliveryId, number: 1, span_id: expect.any(String) })
  })
})

test('a ping and its attempt are one trace', async () => {
  const [api, worker] = await startTraced()
  const { token, id } = subscription
  expect((await callerOf(api).call('post', `/webhooks/${id}/ping`, { token })).status).toBe(202)
  await until(
    () => Promise.resolve(receiver.requests),
    (requests) => requests.some(({ headers }) => headers['service-event'] === 'webhook.ping'),
  )
  await Promise.all([api.stop(), worker.stop()])
  const [request] = named(collector.spans, 'POST /api/v1/webhooks/:id/ping')
  expect(named(collector.spans, 'process deliveries').at(-1)).toMatchObject({
    traceId: request!.traceId,
    attributes: { 'hosting.event.type': 'webhook.ping' },
  })
})

/** Publishes, waits for the delivery, and stops both processes; returns how they exited, and what they loaded. */
async function deliverOnce(environment: Readonly<Record<string, string>>) {
  const coverage = await mkdtemp(join(tmpdir(), 'hosting-loaded-'))
  const overrides = { ...environment, NODE_V8_COVERAGE: coverage }
  const [api, worker] = await Promise.all([stack.startApi(overrides), stack.startWorker(overrides)])
  const [{ connections }, sent] = [collector, receiver.requests.length]
  expect((await callerOf(api).callInternal('post', '/events', event())).status).toBe(202)
  await until(
    () => Promise.resolve(receiver.requests.length),
    (count) => count > sent,
  )
  const codes = await Promise.all([api.stop(), worker.stop()])
  const files = await readdir(coverage)
  const loaded = await Promise.all(files.map((name) => readFile(join(coverage, name), 'utf8')))
  await rm(coverage, { recursive: true })
  const { rows } = await stack.database.pool.query<{ trace_parent: string | null }>(
    'SELECT trace_parent FROM events ORDER BY id DESC LIMIT 1',
  )
  return {
    codes,
    connected: collector.connections > connections,
    log: [...api.lines, ...worker.lines].join('\n'),
    loaded: loaded.map((text) => [
      ...new Set([...text.matchAll(/@opentelemetry\/([\w-]+)/g)].map(([, name]) => name!)),
    ]),
    traceParent: rows[0]!.trace_parent,
  }
}

test('tracing is off by default: no connection, no stored context, and the SDK is not loaded', async () => {
  const { log: _log, ...off } = await deliverOnce({})
  expect(off).toEqual({
    codes: [0, 0],
    connected: false,
    loaded: [['api'], ['api']],
    traceParent: null,
  })
})

test('an unsampled trace is not exported by the API or the worker', async () => {
  const { traceParent, codes, connected, loaded } = await deliverOnce({
    ...traced,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
  })
  expect({ codes, connected }).toEqual({ codes: [0, 0], connected: false })
  expect(traceParent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
  for (const names of loaded) expect(names).toContain('sdk-trace')
})

test('an unavailable collector does not affect requests and deliveries', async () => {
  const { codes, log } = await deliverOnce({
    ...traced,
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
  })
  expect(codes).toEqual([0, 0])
  expect(log).not.toContain('collector-secret')
})
