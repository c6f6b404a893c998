import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { describeInBrowser, useBrowser } from '../../support/browser.ts'
import { until, useStack } from '../../support/stack.ts'
import { prepareGround, Walk, type Ground } from './walk.ts'

describeInBrowser('a person whose receiver works again', () => {
  const stack = useStack({ WEBHOOK_RETRY_DELAYS_SECONDS: '3600' })
  const browser = useBrowser()
  let ground: Ground

  beforeAll(async () => {
    ground = await prepareGround(stack, browser)
  })
  afterAll(() => ground?.close())

  test.each([
    { width: 1440, hasScripts: true, from: 'the endpoint' },
    { width: 1440, hasScripts: false, from: 'the incident' },
    { width: 390, hasScripts: true, from: 'the recovery page' },
    { width: 390, hasScripts: false, from: 'the endpoint' },
  ] as const)(
    'sends a delivery, then all waiting deliveries, from $from (scripts: $hasScripts, $width px)',
    async ({ from, ...device }) => {
      const walk = await Walk.begin(ground, device)
      const { page } = walk
      const { call } = await walk.enter('/')
      const path = `/${randomUUID()}`
      const url = ground.flaky.url + path.slice(1)
      const body = { url, events: ['site.*'], description: 'Pager' }
      const { id } = (await call('post', '/webhooks', { body })).body.webhook
      for (let left = 6; left > 0; left--) await walk.publish()
      const countOf = (status: string, count: number) =>
        until(
          async () => (await call('get', `/webhook-deliveries?status=${status}`)).body.items,
          (items: unknown[]) => items.length === count,
        )
      await countOf('waiting_retry', 6)
      ground.repaired.add(path)

      await walk.go('/deliveries?status=waiting_retry')
      await walk.follow('site.created')
      await walk.press('Retry now')
      await walk.shows('Retry requested. The next attempt is due now.')
      await walk.shows('Attempt 2: delivered')
      expect(await page.getByRole('button', { name: 'Retry now' }).count()).toBe(0)

      await walk.go(`/webhooks/${id}`)
      await walk.shows('5 deliveries wait for the next attempt')
      await walk.shows('The endpoint has recovered')
      const button = page.getByRole('button', { name: 'Retry 5 deliveries now' })
      expect(await button.count()).toBe(1)
      if (from === 'the recovery page') {
        await walk.follow('Deliveries')
        await walk.follow('Recover failed deliveries')
        await walk.shows('0 failed for good, 5 waiting for their next attempt')
      }
      if (from === 'the incident') await walk.follow('Incidents')
      await button.click()
      await walk.shows('5 deliveries are due now')
      await countOf('succeeded', 6)
      await walk.go(`/webhooks/${id}`)
      expect(await button.count()).toBe(0)
      expect(page.complaints).toEqual([])
      await page.context().close()
    },
  )
})
