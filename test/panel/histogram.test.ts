import { expect, test } from '@jest/globals'
import { allRules, errorsOf } from '../support/axe.ts'
import { describeInBrowser } from '../support/browser.ts'
import { countRows, useDeliveries } from './delivery-pages.ts'

describeInBrowser('the bars above the deliveries in Chromium', () => {
  const { enter } = useDeliveries()
  const bars = '[data-histogram] svg a'

  const spanOf = (url: string) => {
    const { searchParams } = new URL(url)
    return [searchParams.get('since'), searchParams.get('until')].map((text) => Date.parse(text!))
  }

  /** Whether a URL has the status, and begins that many minutes ago. */
  const isOf = (url: string, minutes: number): boolean => {
    const ago = (Date.now() - spanOf(url)[0]!) / 60_000
    return /status=succeeded&since=[^&]*$/.test(url) && ago >= minutes && ago < minutes + 2
  }

  test('a bar leads to its deliveries without scripts, with the other filters', async () => {
    const page = await enter('/deliveries?status=succeeded', { javaScriptEnabled: false })
    const all = await countRows(page)
    expect(await page.locator('[data-histogram] svg').getAttribute('aria-label')).toMatch(
      new RegExp(`^Deliveries over time\\. ${all} delivered, 0 unfinished, 0 failed\\.$`),
    )
    await page.locator(bars).last().click()
    await page.waitForURL(/status=succeeded&since=.*&until=/)
    expect(await countRows(page)).toBe(all)
    for (const [chip, minutes] of [
      ['15 min', 15],
      ['1 h', 60],
      ['24 h', 1_440],
      ['7 d', 10_080],
    ] as const) {
      await page.getByRole('navigation', { name: 'Time range' }).getByText(chip).click()
      await page.waitForURL((url) => isOf(url.href, minutes))
      expect(await countRows(page)).toBe(all)
    }
  })

  test('dragging selects a range', async () => {
    const page = await enter('/deliveries')
    const { x, y, width, height } = (await page.locator('[data-histogram] svg').boundingBox())!
    const bar = width / (await page.locator('[data-histogram] [data-since]').count())
    await page.mouse.move(x + width - 3.5 * bar, y + height / 2)
    await page.mouse.down()
    await page.mouse.move(x + width - 0.5 * bar, y + height / 2, { steps: 3 })
    expect(await page.locator('[data-histogram] [data-chosen]').count()).toBe(4)
    await page.mouse.up()
    await page.waitForURL(/since=.*until=/)
    const [since, until] = spanOf(page.url())
    expect(until! - since!).toBe(4 * 30 * 60_000)
    expect(await countRows(page)).toBeGreaterThan(0)
  })

  test('the arrow keys with Shift and Enter select a range', async () => {
    const page = await enter('/deliveries')
    await page.locator(bars).last().focus()
    await page.keyboard.press('Shift+ArrowLeft')
    await page.keyboard.press('Shift+ArrowLeft')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await errorsOf(page, allRules)).toEqual([])
    }
    await page.keyboard.press('Enter')
    await page.waitForURL(/since=.*until=/)
    const [since, until] = spanOf(page.url())
    expect(until! - since!).toBe(3 * 30 * 60_000)
  })

  test('the events have bars that lead to those of their time, and are counted by the filters', async () => {
    const page = await enter('/events')
    const all = await countRows(page)
    const chart = page.locator('[data-histogram] svg')
    expect(await chart.getAttribute('aria-label')).toBe(`Events over time. ${all} events.`)
    await page.locator(bars).last().focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/events\?since=.*&until=/)
    expect(await countRows(page)).toBe(all)
    await page.goto(`${page.url()}&types=job.*`)
    expect(await chart.getAttribute('aria-label')).toBe('Events over time. 0 events.')
    await page.goto(new URL('/events?until=2020-01-01T00:00:00Z', page.url()).href)
    expect(await countRows(page)).toBe(0)
  })
})
