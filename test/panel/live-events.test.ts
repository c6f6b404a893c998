import { expect, test } from '@jest/globals'
import { describeInBrowser } from '../support/browser.ts'
import { until } from '../support/until.ts'
import { countRows, useDeliveries } from './delivery-pages.ts'
import { follow } from './ways.ts'

describeInBrowser('the live list of events in Chromium', () => {
  const { enter, publish, call } = useDeliveries()

  test('the list shows new events and the results of their deliveries without a reload', async () => {
    const page = await enter('/events')
    await page.evaluate('document.body.dataset.loaded = "once"')
    const before = await countRows(page)
    await publish('site.tls_updated')
    const first = page.locator('.list tbody tr').first()
    await first.filter({ hasText: /site\.tls_updated.*Retrying.*Delivered/ }).waitFor()
    expect(await countRows(page)).toBe(before + 1)
    expect(await page.locator('#live-status').textContent()).toBe('1 new event')
    expect(await page.evaluate('document.body.dataset.loaded')).toBe('once')
    expect(page.complaints).toEqual([])
  })

  test('updates can be paused', async () => {
    const page = await enter('/events')
    await page.getByRole('button', { name: 'Pause updates' }).click()
    await publish('site.deleted')
    const { items } = await until(
      async () => (await call('get', '/events?types=site.deleted')).body,
      ({ items: found }) => found.length === 1,
    )
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await page.clock.install()
    await page.clock.fastForward(10_000)
    expect(requests).toEqual([])
    await page.getByRole('button', { name: 'Resume updates' }).click()
    await page.locator(`#event-${items[0].id}`).waitFor()
  })

  test('a filtered list shows only new events that match', async () => {
    const page = await enter('/events?types=site.deleted')
    const before = await countRows(page)
    await publish('site.tls_updated')
    await publish('site.deleted')
    await page.locator('.list tbody tr').nth(before).filter({ hasText: 'site.deleted' }).waitFor()
    expect(await page.getByRole('row').filter({ hasText: 'site.tls_updated' }).count()).toBe(0)
  })

  test('without scripts, a link reloads the list', async () => {
    const page = await enter('/events?types=site.tls_updated', { javaScriptEnabled: false })
    expect(await page.getByRole('button', { name: 'Pause updates' }).isVisible()).toBe(false)
    const before = await countRows(page)
    await publish('site.tls_updated')
    await follow(page.getByRole('link', { name: 'Refresh' }))
    expect(await countRows(page)).toBe(before + 1)
    expect(new URL(page.url()).search).toBe('?types=site.tls_updated')
  })
})
