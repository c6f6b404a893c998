import { expect, test } from '@jest/globals'
import { describeInBrowser } from '../support/browser.ts'
import { useDeliveries } from './delivery-pages.ts'

describeInBrowser('the live list of deliveries in Chromium', () => {
  const { enter } = useDeliveries()

  test('a list that cannot update says so, and continues later', async () => {
    const page = await enter('/deliveries')
    await page.context().setOffline(true)
    await page.getByText('Updates interrupted').waitFor()
    await page.context().setOffline(false)
    await page.getByText('Updates interrupted').waitFor({ state: 'detached' })
  })

  test('a list says that the session has ended, and stops updating', async () => {
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
