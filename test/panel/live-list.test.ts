import { expect, test } from '@jest/globals'
import { describeInBrowser } from '../support/browser.ts'
import { until } from '../support/stack.ts'
import { useDeliveries } from './delivery-pages.ts'

describeInBrowser('the live list of deliveries in Chromium', () => {
  const { publish, enter, deliveries } = useDeliveries()

  test('no delivery is missing between the first page and the older ones after updates', async () => {
    const page = await enter('/deliveries')
    for (let left = 30; left > 0; left--) await publish()
    const newest = await deliveries(({ length }) => length > 60, '?limit=100')
    const rows = newest.map(({ id }) => `delivery-${id}`)
    const shown = (): Promise<{ ids: string[]; older?: string }> =>
      page.evaluate(`({
        ids: [...document.querySelectorAll('.table tbody tr')].map(({ id }) => id),
        older: document.querySelector('a[rel=next]')?.href,
      })`)
    const first = await until(shown, ({ ids }) => ids[0] === rows[0])
    await page.goto(first.older!)
    const second = await shown()
    const both = [...first.ids, ...second.ids]
    expect(both).toEqual(rows.slice(0, both.length))
    expect(both.length).toBeGreaterThan(60)
  })

  test('a list that cannot update says so, and continues later', async () => {
    const page = await enter('/deliveries')
    await page.context().setOffline(true)
    await page.getByText('Updates interrupted').waitFor()
    await page.context().setOffline(false)
    await page.getByText('Updates interrupted').waitFor({ state: 'detached' })
  })

  test('a list says when the session has ended, and stops updating', async () => {
    const page = await enter('/deliveries')
    await page.context().clearCookies()
    await page.getByText('Your session has ended.').waitFor()
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await page.clock.install()
    await page.clock.fastForward(60_000)
    expect(requests).toEqual([])
    await page.getByRole('link', { name: 'Reload page' }).click()
    await page.waitForURL(/\/sign-in/)
  })
})
