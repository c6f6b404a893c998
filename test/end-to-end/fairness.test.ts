import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Stripe } from 'stripe'
import type { TestTenant } from '../support/api.ts'
import { siteData } from '../support/events.ts'
import type { ServiceProcess } from '../support/processes.ts'
import { startReceiver, type ReceivedRequest, type Receiver } from '../support/receiver.ts'
import { until, useStack } from '../support/stack.ts'
import { webhookUser, type Subscription } from '../support/webhook-user.ts'

/** Much longer than any wait in this file, so that no test passes because of a timeout. */
const timeoutMs = 10_000
/** Well below the timeout, and long enough for a busy machine. */
const promptMs = 8_000
const endpointSlots = 5
const slowSlots = 1
const workerSlots = 10

const stack = useStack({
  WEBHOOK_TIMEOUT_SECONDS: String(timeoutMs / 1_000),
  WEBHOOK_ENDPOINT_CONCURRENCY: String(endpointSlots),
  WORKER_CONCURRENCY: String(workerSlots),
})
const { subscribe, publish, listDeliveries, endedDelivery } = webhookUser(stack)

let worker: ServiceProcess
const receivers: Receiver[] = []
beforeAll(async () => {
  worker = await stack.startWorker()
})
afterAll(async () => {
  await worker.kill()
  await Promise.all(receivers.map((receiver) => receiver.close()))
})

async function receive(): Promise<Receiver> {
  const receiver = await startReceiver()
  receivers.push(receiver)
  return receiver
}

/** A receiver that never responds, and the maximum of concurrent requests that it got. */
async function hang() {
  const counts = { most: 0 }
  const receiver = await startReceiver({
    respond: () => {
      counts.most = Math.max(counts.most, receiver.sockets.size)
      return 'hang'
    },
  })
  receivers.push(receiver)
  return Object.assign(receiver, { counts })
}

/** Publishes `count` events in one batch. */
async function publishMany(tenant: TestTenant, count: number): Promise<void> {
  const event = { tenant_id: tenant.id, type: 'site.created', data: siteData }
  const events = Array.from({ length: count }, () => event)
  const { status } = await stack.api.callInternal('post', '/events', { events })
  expect(status).toBe(202)
}

/** The next request, if it arrives well before any attempt could time out. */
async function nextPromptly(receiver: Receiver): Promise<ReceivedRequest> {
  const startedAt = performance.now()
  const request = await receiver.next()
  expect(performance.now() - startedAt).toBeLessThan(promptMs)
  return request
}

const untilNow = <T>(ask: () => T, isDone: (result: T) => boolean) =>
  until(() => Promise.resolve(ask()), isDone, 2 * timeoutMs)

const makeHealthy = async () => {
  const [tenant, receiver] = [await stack.api.makeTenant(), await receive()]
  return { tenant, receiver, endpoint: await subscribe(tenant, receiver.url) }
}

async function scrape(): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${worker.internalPort}/metrics`)
  return response.text()
}

/** The value of a metric with exactly these labels, or the sum over all series. */
function metric(text: string, name: string): number {
  const values = text
    .split('\n')
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
  expect(values).not.toEqual([])
  return values.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

describe('endpoints that hang', () => {
  const events = 12
  let hanging: Awaited<ReturnType<typeof hang>>
  let many: Awaited<ReturnType<typeof hang>>[]
  let busy: TestTenant
  let endpoint: Subscription

  test('one has a limited number of attempts in progress; its other deliveries wait, those of other organizations do not', async () => {
    const tenant = await stack.api.makeTenant()
    hanging = await hang()
    endpoint = await subscribe(tenant, hanging.url)
    const other = await makeHealthy()
    await publishMany(tenant, events)
    await untilNow(
      () => hanging.requests.length,
      (length) => length === endpointSlots,
    )
    for (let count = 0; count < 3; count++) {
      await publish(other.tenant)
      await nextPromptly(other.receiver)
    }
    // The detached attempts and the jobs that waited for a slot of the endpoint have left the lane.
    await until(scrape, (text) => metric(text, 'hosting_attempts_in_progress{lane="normal"}') === 0)
    expect(hanging.requests).toHaveLength(endpointSlots)
    const deliveries = await listDeliveries(endpoint)
    expect(deliveries.map(({ attempt_count }) => attempt_count)).toEqual(Array(events).fill(0))
    expect(metric(await scrape(), 'hosting_attempts_postponed_total')).toBeLessThanOrEqual(events)
  })

  test("in larger numbers than the worker's slots delay a healthy endpoint only briefly", async () => {
    busy = await stack.api.makeTenant()
    many = await Promise.all(Array.from({ length: workerSlots + 1 }, hang))
    const { token } = await subscribe(busy, many[0]!.url)
    for (const { url } of many.slice(1)) {
      const body = { url, events: ['*'] }
      expect((await stack.api.call('post', '/webhooks', { token, body })).status).toBe(201)
    }
    const healthy = await makeHealthy()
    await publish(busy)
    await publish(healthy.tenant)
    await nextPromptly(healthy.receiver)
    expect(many.some(({ requests }) => requests.length > 0)).toBe(true)
  })

  test('use at most a fifth of the slots after a timeout, and a full slow lane delays no healthy endpoint', async () => {
    await until(
      () => listDeliveries(endpoint),
      (items) => items.filter(({ attempt_count }) => attempt_count === 1).length === endpointSlots,
      3 * timeoutMs,
    )
    await until(
      scrape,
      (text) => metric(text, 'hosting_attempts_in_progress{lane="detached"}') === 0,
    )
    for (const { counts } of [hanging, ...many]) counts.most = 0
    await publishMany(busy, 2)
    const healthy = await makeHealthy()
    await until(
      scrape,
      (text) => metric(text, 'hosting_attempts_in_progress{lane="slow"}') === workerSlots,
    )
    await publish(healthy.tenant)
    await nextPromptly(healthy.receiver)
    expect(await endedDelivery(healthy.endpoint)).toMatchObject({ status: 'succeeded' })
    const most = [hanging, ...many].map(({ counts }) => counts.most)
    expect(Math.max(...most)).toBe(slowSlots)
    const deliveries = await listDeliveries(endpoint)
    expect(Math.max(...deliveries.map(({ attempt_count }) => attempt_count))).toBe(1)
    // Deliveries that wait stay untouched until a slot is free: they are not taken and postponed repeatedly.
    expect(metric(await scrape(), 'hosting_attempts_postponed_total')).toBeLessThanOrEqual(
      2 * events,
    )
  })

  test('appear in the metrics', async () => {
    const text = await scrape()
    expect(metric(text, 'hosting_attempts_total{outcome="timeout"}')).toBeGreaterThanOrEqual(
      endpointSlots + many.length,
    )
    expect(metric(text, 'hosting_attempts_total{outcome="success"}')).toBeGreaterThanOrEqual(5)
    expect(metric(text, 'hosting_backlog_age_seconds')).toBeGreaterThan(timeoutMs / 1_000)
    expect(metric(text, 'hosting_backlogged_endpoints')).toBeGreaterThan(0)
    expect(metric(text, 'hosting_batch_size_count{batch="claim"}')).toBeGreaterThan(0)
    expect(metric(text, 'hosting_batch_size_sum{batch="record"}')).toBeGreaterThan(endpointSlots)
    expect(metric(text, 'hosting_relay_lag_seconds_count')).toBeGreaterThan(0)
    expect(metric(text, 'hosting_jobs_waiting{lane="slow"}')).toBeGreaterThanOrEqual(0)
  })
})

describe('changes of an endpoint apply to the next attempt that starts', () => {
  const delivered = async ({ tenant, receiver }: Awaited<ReturnType<typeof makeHealthy>>) => {
    await publish(tenant)
    return nextPromptly(receiver)
  }

  const verify = ({ headers, body }: ReceivedRequest, secret: string): void => {
    const signature = headers['service-signature'] as string
    new Stripe('sk_test_unused').webhooks.constructEvent(body, signature, secret)
  }

  const noMatch = 'No signatures found matching the expected signature'

  test('after a rotation only the new secret signs, immediately or when the overlap period ends', async () => {
    const healthy = await makeHealthy()
    const { token, id, secret } = healthy.endpoint
    verify(await delivered(healthy), secret)
    const rotate = async (graceSeconds: number): Promise<string> => {
      const body = { grace_seconds: graceSeconds }
      const response = await stack.api.call('post', `/webhooks/${id}/rotate-secret`, {
        token,
        body,
      })
      return response.body.secret
    }
    const second = await rotate(60)
    const both = await delivered(healthy)
    verify(both, secret)
    verify(both, second)
    const third = await rotate(0)
    const after = await delivered(healthy)
    verify(after, third)
    expect(() => verify(after, second)).toThrow(noMatch)
    expect(() => verify(after, secret)).toThrow(noMatch)
  })

  test('a disabled endpoint gets no deliveries until it is enabled, a deleted one gets none at all', async () => {
    const [disabled, deleted] = [await makeHealthy(), await makeHealthy()]
    await delivered(disabled)
    await delivered(deleted)
    const of = ({ endpoint: { id, token } }: typeof disabled) => [`/webhooks/${id}`, token] as const
    const [path, token] = of(disabled)
    const setEnabled = (enabled: boolean) =>
      stack.api.call('patch', path, { token, body: { enabled } })
    // Their jobs exist when the endpoints are closed, because the worker is stopped meanwhile.
    await worker.whileStopped(async () => {
      await publish(disabled.tenant)
      await publish(deleted.tenant)
      await setEnabled(false)
      const [deletedPath, deletedToken] = of(deleted)
      await stack.api.call('delete', deletedPath, { token: deletedToken })
    })
    const bystander = await makeHealthy()
    await delivered(bystander)
    await until(
      () => listDeliveries(disabled.endpoint),
      ([newest]) => newest!.status === 'waiting_endpoint' && newest!.attempt_count === 0,
    )
    expect([disabled, deleted].map(({ receiver }) => receiver.requests.length)).toEqual([1, 1])
    await setEnabled(true)
    await nextPromptly(disabled.receiver)
    expect(deleted.receiver.requests).toHaveLength(1)
  })
})
