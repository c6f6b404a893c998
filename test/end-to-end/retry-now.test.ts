import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { setTimeout } from 'node:timers/promises'
import { siteData } from '../support/events.ts'
import { startReceiver, type Receiver } from '../support/receiver.ts'
import { until, useStack } from '../support/stack.ts'
import { webhookUser } from '../support/webhook-user.ts'

const concurrency = 4
const deliveries = 40
const [firstDelayMs, secondDelayMs] = [3_600_000, 7_200_000]
/** A retry is at most this late. */
const lateMsMax = 60_000

const stack = useStack({
  WEBHOOK_RETRY_DELAYS_SECONDS: `${firstDelayMs / 1_000},${secondDelayMs / 1_000}`,
  WEBHOOK_ENDPOINT_CONCURRENCY: String(concurrency),
})
const { subscribe } = webhookUser(stack)

/** What the receiver does now, and what it has seen since. */
const receiving = { status: 500, attempts: 0, now: 0, most: 0 }
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver({
    async respond() {
      receiving.attempts++
      receiving.most = Math.max(receiving.most, ++receiving.now)
      await setTimeout(20)
      receiving.now--
      return { status: receiving.status }
    },
  })
  await stack.startWorker()
})
afterAll(() => receiver.close())

test('retries that are due now are sent at the pace of the endpoint, and keep their number and later delays', async () => {
  const tenant = await stack.api.makeTenant()
  const { id, token } = await subscribe(tenant, receiver.url)
  const event = { tenant_id: tenant.id, type: 'site.created', data: siteData }
  const events = Array.from({ length: deliveries }, () => event)
  expect((await stack.api.callInternal('post', '/events', { events })).status).toBe(202)
  const untilAll = (isReady: (item: { status: string; attempt_count: number }) => boolean) =>
    until(
      async () =>
        (await stack.api.call('get', '/webhook-deliveries?limit=100', { token })).body.items,
      (items) => items.length === deliveries && items.every(isReady),
      30_000,
    )
  const retryNow = async () => {
    Object.assign(receiving, { attempts: 0, most: 0 })
    const { status, body } = await stack.api.call('post', `/webhooks/${id}/retry-now`, { token })
    expect({ status, body }).toEqual({ status: 202, body: { deliveries } })
  }
  await untilAll(({ status, attempt_count }) => status === 'waiting_retry' && attempt_count === 1)

  const before = Date.now()
  await retryNow()
  const items = await untilAll(
    ({ status, attempt_count }) => status === 'waiting_retry' && attempt_count === 2,
  )
  for (const { next_attempt_at: next } of items as unknown as { next_attempt_at: string }[]) {
    expect(Date.parse(next)).toBeGreaterThanOrEqual(before + secondDelayMs)
    expect(Date.parse(next)).toBeLessThan(Date.now() + secondDelayMs + lateMsMax)
  }
  expect(receiving).toMatchObject({ attempts: deliveries })
  expect(receiving.most).toBeLessThanOrEqual(concurrency)

  receiving.status = 204
  await retryNow()
  await untilAll(({ status, attempt_count }) => status === 'succeeded' && attempt_count === 3)
  expect(receiving).toMatchObject({ attempts: deliveries })
}, 120_000)
