import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../support/browser.ts'
import { screens } from '../support/screens.ts'
import { countRows, openFilters, useDeliveries } from './delivery-pages.ts'

describeInBrowser('lists in Chromium', () => {
  const { enter, publish, deliveries } = useDeliveries()

  const heights = (page: Page) =>
    page.evaluate<number[]>(
      `[...document.querySelectorAll('.list tbody tr')].map((row) => row.offsetHeight)`,
    )
  const searchOf = (page: Page) => decodeURIComponent(new URL(page.url()).search)

  test('18 deliveries and their bars fit on a screen of 1440 x 900 px, and more when the rows are compact', async () => {
    for (let left = 20; left > 0; left--) await publish()
    await deliveries(({ length }) => length > 40, '?limit=100')
    const page = await enter('/deliveries', { viewport: screens[1440] })
    const onScreen = () =>
      page.evaluate<number>(
        `[...document.querySelectorAll('.list tbody tr')]
          .filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length`,
      )
    expect(await onScreen()).toBeGreaterThanOrEqual(18)
    expect(Math.max(...(await heights(page)))).toBeLessThanOrEqual(42)
    await page.locator('.me > summary').click()
    await page.getByRole('button', { name: 'Compact' }).click()
    await page.locator('[data-density=compact]').waitFor()
    expect(await onScreen()).toBeGreaterThanOrEqual(23)
  })

  test.each([true, false])(
    'the chosen density applies to every list, and is remembered (scripts: %s)',
    async (javaScriptEnabled) => {
      const page = await enter('/keys', { javaScriptEnabled })
      await page.locator('.me > summary').click()
      await page.getByRole('button', { name: 'Compact' }).click()
      await page.waitForURL(/\/keys$/)
      for (const path of ['/webhooks', '/deliveries', '/events', '/security']) {
        await page.goto(new URL(path, page.url()).href)
        expect(await page.locator('html').getAttribute('data-density')).toBe('compact')
        expect(Math.max(...(await heights(page)))).toBeLessThanOrEqual(32)
      }
      const cookie = (await page.context().cookies()).find(({ name }) => name === 'density')
      expect(cookie!.expires * 1_000 - Date.now()).toBeGreaterThan(300 * 86_400_000)
      await page.locator('.me > summary').click()
      await page.getByRole('button', { name: 'Comfortable' }).click()
      await page.locator('html:not([data-density])').waitFor()
    },
  )

  test.each([true, false])(
    'all of a row is its link, and its checkbox still works (scripts: %s)',
    async (javaScriptEnabled) => {
      const page = await enter('/deliveries', { javaScriptEnabled })
      const row = page.locator('.list tbody tr').first()
      const href = (await row.locator('.row-link').getAttribute('href'))!
      const box = row.getByRole('checkbox')
      await box.click()
      expect(await box.isChecked()).toBe(true)
      expect(new URL(page.url()).pathname).toBe('/deliveries')
      const { width, height } = (await row.boundingBox())!
      await row.click({ position: { x: width - 40, y: height / 2 } })
      await page.waitForURL(`**${href}`)
    },
  )

  test.each([true, false])(
    'filters say what is set, and are taken off one by one (scripts: %s)',
    async (javaScriptEnabled) => {
      const page = await enter(
        '/deliveries?q=site.created&status=succeeded&since=2026-01-01T00:00',
        {
          javaScriptEnabled,
          viewport: screens[1440],
        },
      )
      const chips = page.getByRole('list', { name: 'Filters that are set' })
      const chip = (name: RegExp) => chips.getByRole('link', { name })
      const from = javaScriptEnabled ? '2026-01-01 05:30:00' : '2026-01-01 00:00:00 UTC'
      expect(await chips.textContent()).toContain(`From: ${from}`)
      const toolbar = (await page.locator('.toolbar').boundingBox())!
      // Times in UTC say so, and take a second line.
      expect(toolbar.height).toBeLessThan(javaScriptEnabled ? 44 : 80)
      await chip(/^Status: Delivered/).click()
      await page.waitForURL(/since=/)
      expect(searchOf(page)).toBe('?q=site.created&since=2026-01-01T00:00')
      await chip(/^From/).click()
      await page.waitForURL(({ search }) => !search.includes('since'))
      expect(searchOf(page)).toBe('?q=site.created')
      await chip(/^Search: site\.created/).click()
      await page.waitForURL(/\/deliveries$/)
      expect(await chips.count()).toBe(0)
      expect(await countRows(page)).toBeGreaterThan(0)
    },
  )

  test('a filter that is not valid opens its menu over the list, and moves nothing', async () => {
    const toolbars: number[] = []
    for (const status of ['succeeded', 'broken']) {
      const page = await enter(`/deliveries?status=${status}`, { viewport: screens[1440] })
      toolbars.push((await page.locator('.toolbar').boundingBox())!.height)
      const isInvalid = status === 'broken'
      expect(await page.locator('.filter-fields').first().isVisible()).toBe(isInvalid)
    }
    expect(toolbars[1]).toBe(toolbars[0])
  })

  test('the names of the columns stay in view, and the row in focus is below them', async () => {
    for (let left = 10; left > 0; left--) await publish()
    await deliveries(({ length }) => length > 20, '?limit=100')
    const page = await enter('/deliveries', { viewport: { width: 1_440, height: 320 } })
    const head = page.locator('.list thead tr')
    const links = page.locator('.list .row-link')
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    expect((await head.boundingBox())!.y).toBe(0)
    await links.first().focus()
    const { y, height } = (await head.boundingBox())!
    expect((await links.first().boundingBox())!.y).toBeGreaterThan(y + height)
  })

  test('pages use the font of the product, with figures of the same width', async () => {
    const page = await enter('/deliveries')
    const widths = await page.evaluate<
      number[]
    >(`document.fonts.ready.then(() => ['1111', '8888'].map((text) => {
      const cell = document.querySelector('.list td.number')
      const place = cell.appendChild(document.createElement('span'))
      place.textContent = text
      return place.getBoundingClientRect().width
    }))`)
    expect(widths[0]).toBe(widths[1])
    expect(await page.evaluate('document.fonts.check("14px Inter")')).toBe(true)
    const statuses = '[...document.fonts].map(({ status }) => status)'
    // The font for other European letters is loaded when a page contains one.
    expect(await page.evaluate(statuses)).toEqual(['loaded', 'unloaded'])
    await page.evaluate(`document.querySelector('h1').append('č')`)
    await page.evaluate('document.fonts.load("14px Inter", "č")')
    expect(await page.evaluate(statuses)).toEqual(['loaded', 'loaded'])
    expect(page.complaints).toEqual([])
  })

  test('the menu of filters takes the focus, and Escape gives it back', async () => {
    const page = await enter('/deliveries')
    await openFilters(page)
    await page.locator('#filter-status:focus').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.filter-menu:not([open]) > summary:focus').waitFor()
    await openFilters(page)
    await page.getByRole('heading', { level: 1 }).click()
    expect(await page.getByLabel('Status').isVisible()).toBe(false)
  })

  test.each(['/deliveries', '/events', '/webhooks', '/security'])(
    'on a phone, rows of %s have two lines and nothing scrolls sideways',
    async (path) => {
      const page = await enter(path, { viewport: screens[390], hasTouch: true, isMobile: true })
      expect(Math.max(...(await heights(page)))).toBeLessThanOrEqual(64)
      expect(Number(await page.evaluate('document.documentElement.scrollWidth'))).toBe(390)
    },
  )
})
