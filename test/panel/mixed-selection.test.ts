import { expect, test } from '@jest/globals'
import {
  failure,
  lastFailure,
  makeAttempts,
  success,
} from '../../apps/api/test/support/attempts.ts'
import { makeSubscriber } from '../../apps/api/test/support/delivery-list.ts'
import { publish } from '../../apps/api/test/support/events.ts'
import { useApi } from '../support/api.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import { errorsOnScreens, screens } from '../support/screens.ts'
import { callWith, makeSignedIn } from '../support/session.ts'
import { holdCookie, openPage } from './panel-stack.ts'

describeInBrowser('the question about many deliveries in Chromium', () => {
  const api = useApi()
  const browser = useBrowser()

  async function enter() {
    const { tenant } = await makeSubscriber(api)
    const person = await makeSignedIn(api, tenant)
    const call = callWith(api, person)
    const body = { url: 'https://example.com/gone', events: ['dns.*'] }
    const gone = (await call('post', '/webhooks', { body })).body.webhook.id as string
    const deliver = async (...attempts: Parameters<typeof makeAttempts>[2]) => {
      const [id] = (await publish(api, tenant.id)).deliveryIds
      if (attempts.length > 0) await makeAttempts(api, id!, attempts)
    }
    const context = await browser.open({ viewport: screens[1440] })
    await holdCookie({ api }, context, person.cookie)
    const page = await openPage(context)
    return { call, gone, deliver, page }
  }

  test('a selection of all kinds says what is done with each, passes axe, and sends what is chosen', async () => {
    const { call, gone, deliver, page } = await enter()
    for (const attempts of [[lastFailure], [lastFailure], [failure], [success]]) {
      await deliver(...attempts)
    }
    await deliver()
    const ping = await call('post', `/webhooks/${gone}/ping`)
    await makeAttempts(api, ping.body.delivery.id as string, [lastFailure])
    await page.goto(`${api.url}/deliveries`)
    await page.getByRole('checkbox', { name: 'Select all' }).check()
    // It is deleted while the page is open, so that its delivery is still selected.
    await call('delete', `/webhooks/${gone}`)
    await page.getByRole('button', { name: 'Send selected again (6)' }).click()
    await page.getByRole('heading', { name: '6 deliveries' }).waitFor()
    const text = (await page.locator('main').innerText()).replaceAll(/\s+/g, ' ')
    expect(text).toContain(
      'Waiting for a retry 1, due now instead of later Failed 2, redelivered Already arrived 1, not sent again unless you choose it In progress 1, left alone Endpoint deleted 1, not sent',
    )
    expect(await errorsOnScreens(page, 'deliveries-mixed')).toEqual([])
    await page.setViewportSize(screens[1440])
    await page.getByLabel('Also the 1 that has already arrived').check()
    await page.getByRole('button', { name: 'Retry 1 and redeliver 2' }).click()
    await page.getByText('1 retried now, 3 redelivered').waitFor()
    expect(await errorsOnScreens(page, 'deliveries-mixed-sent')).toEqual([])
    expect(page.complaints).toEqual([])
  })

  test('an empty selection says that nothing is selected, and passes axe', async () => {
    const { page } = await enter()
    await page.goto(`${api.url}/deliveries/bulk?of=selected`)
    await page.getByText('Nothing is selected').waitFor()
    expect(await page.getByRole('button', { name: /Retry|Redeliver/ }).count()).toBe(0)
    expect(await errorsOnScreens(page)).toEqual([])
    await page.setViewportSize(screens[1440])
    await page.getByRole('link', { name: 'Back' }).click()
    await page.waitForURL(`${api.url}/deliveries`)
  })
})
