import { expect, test } from '@jest/globals'
import { describeInBrowser } from '../support/browser.ts'
import { errorsOnScreens } from '../support/screens.ts'
import { countRows, useDeliveries } from './delivery-pages.ts'

describeInBrowser('selected deliveries in Chromium', () => {
  const { stack, endpoints, enter, deliveries } = useDeliveries()

  test.each([true, false])(
    'selected deliveries are redelivered after a question (scripts: %s)',
    async (javaScriptEnabled) => {
      const page = await enter(`/deliveries?webhook_id=${endpoints.good}&status=succeeded`, {
        javaScriptEnabled,
      })
      const posts: string[] = []
      page.on('request', (request) => {
        if (request.method() === 'POST') posts.push(request.url())
      })
      const boxes = page.getByRole('checkbox', { name: /^Select site/ })
      const chosen = await boxes.nth(0).getAttribute('value')
      await boxes.nth(0).check()
      const send = page.getByRole('button', { name: /^Send selected again/ })
      await send.click()
      await page.getByRole('heading', { name: '1 delivery' }).waitFor()
      await page.getByText('1 has already arrived.').waitFor()
      expect(await errorsOnScreens(page)).toEqual([])
      expect(posts).toEqual([])
      await page.getByRole('button', { name: 'Redeliver 1 again' }).click()
      await page.getByText('0 retried now, 1 redelivered').waitFor()
      expect(await errorsOnScreens(page)).toEqual([])
      expect(posts).toHaveLength(1)
      const items = await deliveries((found) => found.length > 0)
      expect(items).toContainEqual(expect.objectContaining({ redelivery_of: chosen }))
      await page.reload()
      expect(await page.getByText('retried now').count()).toBe(0)
      await page.goto(`${stack.api.url}/deliveries`)
      expect(await send.isVisible()).toBe(!javaScriptEnabled)
      if (javaScriptEnabled) return
      await send.click()
      await page.getByText('Nothing is selected').waitFor()
    },
  )

  test('all deliveries of the page can be selected', async () => {
    const page = await enter(`/deliveries?webhook_id=${endpoints.bad}`)
    const rows = await countRows(page)
    await page.getByRole('checkbox', { name: 'Select all' }).check()
    await page.getByRole('button', { name: `Send selected again (${rows})` }).click()
    await page.getByRole('heading', { name: `${rows} deliver` }).waitFor()
  })
})
