import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { TestTenant } from '../support/api.ts'
import { siteData } from '../support/events.ts'
import type { ServiceProcess } from '../support/processes.ts'
import { startReceiver, type Receiver, type Reply } from '../support/receiver.ts'
import { until, useStack } from '../support/stack.ts'
import { webhookUser, type Subscription } from '../support/webhook-user.ts'

const stack = useStack({ WEBHOOK_RETRY_DELAYS_SECONDS: '1,1', WORKER_CONCURRENCY: '10' })
const { subscribe, publish, listDeliveries } = webhookUser(stack)

const workers: ServiceProcess[] = []
const receivers: Receiver[] = []
beforeAll(async () => {
  workers.push(await stack.startWorker(), await stack.startWorker())
})
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.kill()))
  await Promise.all(receivers.map((receiver) => receiver.close()))
})

interface Throttled {
  readonly tenant: TestTenant
  readonly endpoint: Subscription
  /** When each request arrived. */
  readonly arrivals: readonly number[]
}

async function makeThrottled(
  rate: number | null,
  respond: () => Reply = () => ({ status: 204 }),
): Promise<Throttled> {
  const arrivals: number[] = []
  const receiver = await startReceiver({
    respond: () => {
      arrivals.push(performance.now())
      return respond()
    },
  })
  receivers.push(receiver)
  const tenant = await stack.api.makeTenant()
  const endpoint = await subscribe(tenant, receiver.url)
  await change({ endpoint }, { rate_limit_per_second: rate })
  return { tenant, endpoint, arrivals }
}

async function change({ endpoint: { id, token } }: Pick<Throttled, 'endpoint'>, body: object) {
  const { status } = await stack.api.call('patch', `/webhooks/${id}`, { token, body })
  expect(status).toBe(200)
}

async function publishMany({ tenant }: Throttled, count: number): Promise<void> {
  const event = { tenant_id: tenant.id, type: 'site.created', data: siteData }
  const events = Array.from({ length: count }, () => event)
  expect((await stack.api.callInternal('post', '/events', { events })).status).toBe(202)
}

const untilArrived = ({ arrivals }: Throttled, count: number, timeoutMs = 30_000) =>
  until(
    () => Promise.resolve(arrivals.length),
    (length) => length >= count,
    timeoutMs,
  )

/** The starts of all attempts of an endpoint, as recorded, in ms. */
async function startsOf({ endpoint }: Throttled): Promise<number[]> {
  const { rows } = await stack.database.pool.query<{ started_at: Date }>(
    'SELECT started_at FROM recorded_attempts WHERE endpoint_id = $1 ORDER BY started_at',
    [endpoint.id],
  )
  return rows.map((row) => row.started_at.getTime())
}

/** Requires that no span of t seconds holds the start of more than rate × (t + 1) attempts. */
async function expectThrottled(throttled: Throttled, rate: number): Promise<void> {
  const starts = await startsOf(throttled)
  for (const [from, first] of starts.entries()) {
    for (const [to, last] of starts.slice(from).entries()) {
      expect(to + 1).toBeLessThanOrEqual(rate * ((last - first) / 1_000 + 1) + rate / 1_000)
    }
  }
}

describe('an endpoint with a rate limit', () => {
  const rate = 10
  const events = 30

  test('gets its deliveries evenly from several workers, without delaying other endpoints', async () => {
    const throttled = await makeThrottled(rate)
    const other = await makeThrottled(null)
    // Five seconds.
    const many = 5 * rate
    await publishMany(throttled, many)
    await Promise.all(Array.from({ length: 5 }, () => publish(other.tenant)))
    await untilArrived(other, 5)
    expect(throttled.arrivals.length).toBeLessThan(many)
    await untilArrived(throttled, many)
    await expectThrottled(throttled, rate)
    const starts = await startsOf(throttled)
    expect(starts.at(-1)! - starts[0]!).toBeGreaterThan(((many - rate / 4 - 1) * 900) / rate)
    await until(
      () => listDeliveries(throttled.endpoint),
      (items) => items.every(({ status }) => status === 'succeeded'),
    )
    const deliveries = await listDeliveries(throttled.endpoint)
    expect(deliveries.map(({ attempt_count }) => attempt_count)).toEqual(Array(many).fill(1))
  })

  test('shows waiting deliveries with the time of their next attempt, without an attempt', async () => {
    const throttled = await makeThrottled(1)
    await publishMany(throttled, 8)
    await untilArrived(throttled, 1)
    const { id, token } = throttled.endpoint
    const { body } = await stack.api.call('get', `/webhooks/${id}/deliveries?status=queued`, {
      token,
    })
    const queued = body.items as { next_attempt_at: string; attempt_count: number }[]
    expect(queued.length).toBeGreaterThanOrEqual(5)
    expect(queued.every(({ attempt_count }) => attempt_count === 0)).toBe(true)
    const times = queued.map(({ next_attempt_at }) => Date.parse(next_attempt_at)).toReversed()
    const steps = times.slice(1).map((time, index) => time - times[index]!)
    expect(steps.every((step) => step > 900 && step < 1_500)).toBe(true)
    const listedAt = Date.now()
    const single = await stack.api.call(
      'get',
      `/webhook-deliveries/${(body.items as { id: string }[])[0]!.id}`,
      { token },
    )
    // The expected start moves with the time that passes.
    expect(Math.abs(Date.parse(single.body.delivery.next_attempt_at) - times.at(-1)!)).toBeLessThan(
      1_500 + Date.now() - listedAt,
    )
    await change(throttled, { rate_limit_per_second: null })
    await untilArrived(throttled, 8)
  })

  test('gets no more than its limit if Redis is emptied and a worker is killed', async () => {
    const throttled = await makeThrottled(rate)
    await publishMany(throttled, events)
    await untilArrived(throttled, 5)
    await stack.eachRedis((redis) => redis.flushdb())
    await workers.pop()!.kill()
    await until(
      () => listDeliveries(throttled.endpoint),
      (items) => items.every(({ status }) => status === 'succeeded'),
      60_000,
    )
    await expectThrottled(throttled, rate)
    workers.push(await stack.startWorker())
  }, 90_000)

  test('counts retries, redeliveries and deliveries that waited while the endpoint was disabled', async () => {
    const throttled = await makeThrottled(rate, () => ({ status: 500 }))
    await publishMany(throttled, 10)
    await until(
      () => listDeliveries(throttled.endpoint),
      (items) => items.every(({ status }) => status === 'dead'),
      60_000,
    )
    const { id, token } = throttled.endpoint
    expect(await startsOf(throttled)).toHaveLength(30)
    await change(throttled, { enabled: false })
    const since = new Date(Date.now() - 600_000).toISOString()
    await stack.api.call('post', `/webhooks/${id}/recover`, { token, body: { since } })
    await publishMany(throttled, 10)
    await until(
      () => listDeliveries(throttled.endpoint),
      (items) => items.filter(({ status }) => status === 'waiting_endpoint').length === 20,
      20_000,
    )
    await change(throttled, { enabled: true })
    await until(
      () => startsOf(throttled),
      (starts) => starts.length === 90,
      60_000,
    )
    await expectThrottled(throttled, rate)
  }, 150_000)
})

describe('an endpoint that keeps failing', () => {
  test('is disabled after the configured hours; its deliveries wait and are sent when it is enabled', async () => {
    let isFailing = true
    const failing = await makeThrottled(null, () => ({ status: isFailing ? 503 : 204 }))
    await change(failing, { disable_after_failing_hours: 1 })
    await publishMany(failing, 3)
    const { id, token } = failing.endpoint
    const show = async () =>
      (await stack.api.call('get', `/webhooks/${id}`, { token })).body.webhook
    await until(show, ({ health }) => health.state === 'failing', 20_000)
    await until(
      () => listDeliveries(failing.endpoint),
      (items) => items.every(({ status }) => status === 'dead'),
      20_000,
    )
    const openedAt = new Date(Date.now() - 3_600_000)
    await stack.database.prisma.webhookIncident.updateMany({
      where: { endpointId: id },
      data: { openedAt },
    })
    await stack.database.prisma.webhookEndpointFailures.update({
      where: { endpointId: id },
      data: { firstFailureAt: openedAt },
    })
    const disabled = await until(show, ({ enabled }) => !enabled, 30_000)
    expect(disabled).toMatchObject({ disabled_reason: 'failing', health: { state: 'unknown' } })
    await publishMany(failing, 5)
    const waiting = await listDeliveries(failing.endpoint)
    expect(waiting.filter(({ status }) => status === 'waiting_endpoint')).toHaveLength(5)
    isFailing = false
    await change(failing, { enabled: true })
    const ended = await until(
      () => listDeliveries(failing.endpoint),
      (items) => items.filter(({ status }) => status === 'succeeded').length === 5,
      20_000,
    )
    expect(ended).toHaveLength(8)
    expect(await show()).toMatchObject({ disabled_reason: null, health: { state: 'healthy' } })
    const { body } = await stack.api.call('get', `/webhooks/${id}/incidents`, { token })
    expect(body.items).toMatchObject([{ closed_by: 'disabled' }])
  }, 120_000)
})
