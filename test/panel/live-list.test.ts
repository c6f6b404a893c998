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
})
