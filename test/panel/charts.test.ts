import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { allRules, errorsOf } from '../support/axe.ts'
import { describeInBrowser } from '../support/browser.ts'
import { countRows, openFilters, useDeliveries } from './delivery-pages.ts'

describeInBrowser('the charts of attempts in Chromium', () => {
  const { stack, endpoints, call, publish, deliveries, enter } = useDeliveries()
  const chart = 'svg[aria-label^="Attempts by response code"]'
  const card = (page: Page) => page.locator('.chart-card')
  const bothZones = /\d\d:\d\d:\d\d (IST|GMT\+5:30).*\d\d:\d\d:\d\d\.\d{3} UTC/

  test('a card shows the values of the column under the pointer, and follows its link', async () => {
    const page = await enter(`/webhooks/${endpoints.bad}`)
    const picture = page.locator(chart)
    await picture.locator('a').last().hover()
    await card(page).waitFor()
    expect(await card(page).textContent()).toMatch(bothZones)
    expect(await card(page).textContent()).toMatch(/5xx1NotesHTTP 500: 1/)
    await page.getByRole('heading', { name: 'Latest deliveries' }).hover()
    expect(await card(page).isVisible()).toBe(false)
    await picture.locator('a').last().click()
    await page.waitForURL(/\/deliveries\?since=.*until=/)
    expect(await countRows(page)).toBe(1)
  })

  test('the arrow keys choose a column, which Enter opens and Escape leaves', async () => {
    const page = await enter('/')
    await page.locator(chart).focus()
    await page.keyboard.press('End')
    for (let step = 0; !/2xx1/.test((await card(page).textContent())!); step++) {
      expect(step).toBeLessThan(30)
      await page.keyboard.press('ArrowLeft')
    }
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await errorsOf(page, allRules)).toEqual([])
    }
    await page.keyboard.press('Escape')
    expect(await card(page).isVisible()).toBe(false)
    await page.keyboard.press('Home')
    expect(await card(page).textContent()).toMatch(/2xx05xx0|2xx0No response0/)
    await page.keyboard.press('Tab')
    expect(await card(page).isVisible()).toBe(false)
  })

  test('a tap shows the card, whose link leads to the deliveries', async () => {
    const page = await enter(`/webhooks/${endpoints.good}`, { hasTouch: true })
    await page.locator(chart).locator('a').last().tap()
    expect(await card(page).textContent()).toMatch(/2xx1NotesHTTP 204: 1.*View deliveries$/)
    expect(new URL(page.url()).pathname).toBe(`/webhooks/${endpoints.good}`)
    await card(page).getByRole('link').tap()
    await page.waitForURL(/\/deliveries\?since=.*until=/)
    expect(await countRows(page)).toBe(1)
  })

  test('one switch shows all times in UTC, and tooltips have both zones', async () => {
    const page = await enter('/deliveries?since=2026-01-01T00:00:00Z')
    await page.locator('.me > summary').click()
    await page.locator('.me').getByRole('button', { name: 'UTC' }).click()
    await page.locator('html[data-times=utc]').waitFor()
    const time = page.locator('.list tbody time').first()
    expect(await time.textContent()).toMatch(/, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/)
    expect(await time.getAttribute('title')).toMatch(/ (IST|GMT\+5:30)\n.* UTC$/)
    await openFilters(page)
    expect(await page.locator('#filter-since').inputValue()).toMatch(/^2026-01-01T00:00(:00)?$/)
    await page.locator('.filter-fields').getByRole('button', { name: 'Filter' }).click()
    await page.waitForURL(/since=2026-01-01T00%3A00%3A00/)
    await page.goto(new URL('/', page.url()).href)
    await page.locator(chart).focus()
    await page.keyboard.press('End')
    expect(await card(page).textContent()).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:00 UTC.* (IST|GMT\+5:30)/,
    )
    await page.locator('.me > summary').click()
    await page.locator('.me').getByRole('button', { name: 'Local time' }).click()
    await page.locator('html:not([data-times])').waitFor()
  })

  test('changes and incidents of the endpoint are marked, and the chart that is read stays', async () => {
    for (let events = 0; events < 5; events++) await publish('site.deleted')
    await deliveries(
      (items) => items.filter(({ status }) => status === 'waiting_retry').length >= 6,
      `?webhook_id=${endpoints.bad}`,
    )
    expect((await call('post', `/webhooks/${endpoints.bad}/rotate-secret`)).status).toBe(200)
    const body = { url: `${stack.api.url}/elsewhere`, enabled: false }
    expect((await call('patch', `/webhooks/${endpoints.bad}`, { body })).status).toBe(200)
    const page = await enter(`/webhooks/${endpoints.bad}`)
    const picture = page.locator(chart)
    expect(await picture.locator('.mark').count()).toBe(3)
    expect(await picture.locator('.shade').count()).toBe(1)
    await picture.focus()
    // What happened may lie on both sides of a minute.
    let notes = ''
    for (let column = 0; column < 3; column++) {
      await page.keyboard.press('ArrowLeft')
      notes = `${await card(page).textContent()}; ${notes}`
    }
    expect(notes).toMatch(/Secret rotated;.*URL changed, Disabled;/)
    expect(notes).toMatch(/Incident;/)
    expect(await errorsOf(page, allRules)).toEqual([])
    await picture.evaluate((shown) => shown.setAttribute('data-test', 'kept'))
    const shown = page.locator('#latest-deliveries tbody tr').first()
    const newest = await shown.textContent()
    await publish('site.created')
    await page.waitForFunction(
      (text) => document.querySelector('#latest-deliveries tbody tr')!.textContent !== text,
      newest,
    )
    expect(await picture.getAttribute('data-test')).toBe('kept')
    await page.keyboard.press('Escape')
    await page.waitForFunction(() => document.querySelector('[data-test=kept]') === null)
  })

  test('without scripts, bars have titles and lead to the deliveries, and a table has the values', async () => {
    const page = await enter(`/webhooks/${endpoints.good}`, { javaScriptEnabled: false })
    const bar = page.locator(chart).locator('a').last()
    expect(await bar.locator('title').textContent()).toMatch(/^\d\d:\d\d: \d+ 2xx$/)
    await bar.click()
    await page.waitForURL(/\/deliveries\?since=.*until=/)
  })
})
