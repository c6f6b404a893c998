import { findAttemptHelp } from '@hosting/core/webhooks'
import { expect } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { until } from '../../support/stack.ts'
import type { Journeys, Walk } from './walk.ts'

type Call = Awaited<ReturnType<Walk['enter']>>['call']

/** Creates an endpoint that fails and events for it, whose deliveries have failed for good. */
async function failDeliveries(walk: Walk, call: Call, count: number) {
  const path = `/${randomUUID()}`
  const url = walk.ground.flaky.url + path.slice(1)
  const body = { url, events: ['site.*'], description: 'Pager' }
  await call('post', '/webhooks', { body })
  for (let left = count; left > 0; left--) await walk.publish()
  await countOf(call, 'dead', count)
  return { repair: () => walk.ground.repaired.add(path) }
}

/** Waits until that many deliveries have a status. */
const countOf = (call: Call, status: string, count: number): Promise<unknown> =>
  until(
    async () => (await call('get', `/webhook-deliveries?status=${status}`)).body.items as unknown[],
    (items) => items.length === count,
  )

export const deliveryJourneys: Journeys = {
  'finds out why a delivery failed, and redelivers it and several': async (walk) => {
    const { page } = walk
    const { call } = await walk.enter('/')
    const { repair } = await failDeliveries(walk, call, 3)
    await walk.go('/')
    await walk.shows(/^Failing: HTTP 500\.$/)
    await walk.follow('View deliveries')
    expect(await walk.rows().count()).toBe(3)
    expect(await walk.rows().first().textContent()).toMatch(/site\.created.*Failed.*HTTP 500/s)
    await walk.follow('site.created')
    const { meaning, advice } = findAttemptHelp({ statusCode: 500, errorClass: 'http_error' })!
    for (const words of ['Attempt 2: failed', 'HTTP 500', meaning, advice]) {
      expect(await walk.text()).toContain(words)
    }
    await page.getByText('Request headers').first().click()
    await walk.shows('Service-Delivery:')

    repair()
    await walk.press('Redeliver')
    await walk.shows('Event redelivered. This is the new delivery.')
    await walk.shows('Attempt 1: delivered')
    await walk.go('/deliveries?status=dead')
    const boxes = page.getByRole('checkbox', { name: /^Select site/ })
    await boxes.nth(1).check()
    await boxes.nth(2).check()
    await page.getByRole('button', { name: /^Send selected again/ }).click()
    await walk.shows('2 deliveries')
    await page.getByRole('button', { name: /^Redeliver/ }).click()
    await walk.shows('0 retried now, 2 redelivered')
    await countOf(call, 'succeeded', 3)
  },

  'recovers after an outage, with the count first': async (walk) => {
    const { page } = walk
    const { call } = await walk.enter('/')
    const { repair } = await failDeliveries(walk, call, 3)
    repair()
    await walk.go('/webhooks')
    await walk.followRow()
    await walk.follow('Deliveries')
    await walk.follow('Recover failed deliveries')
    await page.getByLabel('Last hour').check()
    await walk.press('Count events')
    await walk.shows('3 failed for good, 0 waiting for their next attempt')
    await walk.press('Recover 3 failed deliveries')
    await walk.shows('Completed')
    expect(await walk.text()).toContain('3 of 3 events sent')
    await countOf(call, 'succeeded', 3)
    await walk.follow('View deliveries')
    expect(await walk.rows().count()).toBe(6)
    await walk.go('/')
    await walk.shows('Nothing needs attention')
  },

  'sends past events to an endpoint that was added today, and some of them again': async (walk) => {
    const { page } = walk
    const { call } = await walk.enter('/')
    for (const type of ['site.created', 'site.created', 'site.deleted', 'site.tls_updated']) {
      await walk.publish(type)
    }
    const url = `${walk.ground.good.url}new`
    const body = { url, events: ['site.created', 'site.deleted'], description: 'Brand new' }
    await call('post', '/webhooks', { body })
    await walk.go('/webhooks')
    await walk.followRow()
    await walk.follow('Deliveries')
    await walk.follow('Send past events')
    await walk.shows('3 events, 0 waiting for their next attempt')
    await page.getByText('Only some event types').click()
    await page.getByText('Sites', { exact: true }).click()
    expect(await page.getByLabel('site.tls_updated').count()).toBe(0)
    await page.getByLabel('site.created').check()
    await walk.press('Count events')
    await walk.shows('2 events, ')
    await walk.press('Send 2 events')
    await walk.shows('Completed')
    await walk.shows('2 of 2 events sent')
    await countOf(call, 'succeeded', 2)

    await walk.go('/webhooks')
    await walk.followRow()
    await walk.follow('Deliveries')
    await walk.follow('Recover failed deliveries')
    await walk.shows('0 failed for good, ')
    await page.getByLabel('Everything again').check()
    await page.getByLabel(/^Also events that were never sent/).check()
    await walk.press('Count events')
    await walk.press('Send 3 events')
    await walk.shows('3 of 3 events sent')
    await countOf(call, 'succeeded', 5)
  },
}
