import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { mkdir } from 'node:fs/promises'
import type { BrowserContext, Page } from 'playwright-core'
import { root } from '../../tools/run.ts'
import { faultsOf, schemes } from '../support/axe.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import { useStack } from '../support/stack.ts'
import { smallTargetsOf } from '../support/targets.ts'
import { openPage } from './panel-stack.ts'
import { furnish, type Furnished } from './furnished.ts'
import { listScreens } from './screen-list.ts'

const folder = `${root}.cache/screenshots`
const sizes = {
  wide: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
  narrow: { width: 320, height: 640 },
} as const

describeInBrowser('every page', () => {
  const stack = useStack({
    TRUSTED_PROXIES: '127.0.0.1/32',
    WEBHOOK_RETRY_DELAYS_SECONDS: '3600',
  })
  const browser = useBrowser()
  let furnished: Furnished

  beforeAll(async () => {
    await mkdir(folder, { recursive: true })
    furnished = await furnish(stack, browser)
  }, 60_000)
  afterAll(() => furnished?.close())

  test('the checks find a faulty page', async () => {
    const page = await (await browser.open()).newPage()
    await page.setContent('<p style="color:#999;background:#fff">Pale</p><img src="x.png">')
    const found = await Promise.all(Object.values(schemes).map((rules) => faultsOf(page, rules)))
    expect(found[0]!.join()).toMatch(/image-alt/)
    expect(found[1]!.join()).toMatch(/color-contrast/)
    await page.close()
  })

  test('passes axe in light and dark, fits into 320 px, has targets of 44 px on a phone, and causes no browser errors', async () => {
    const faults: string[] = []
    const pages = new Map<BrowserContext, Awaited<ReturnType<typeof openPage>>[]>()
    await eachOf(listScreens(stack.api, furnished), 4, async ({ name, context, prepare }) => {
      const idle = pages.get(context) ?? []
      pages.set(context, idle)
      const page = idle.pop() ?? (await openPage(context))
      page.complaints.length = 0
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
      await page.setViewportSize(sizes.wide)
      await prepare(page)
      const found = await lookAt(page, name)
      const unexpected = page.complaints.filter((text) => !/status of [45]\d\d/.test(text))
      faults.push(...[...found, ...unexpected].map((fault) => `${name}: ${fault}`))
      idle.push(page)
    })
    expect(faults).toEqual([])
  }, 300_000)

  test('lists of a phone are cards, and their filters are folded', async () => {
    const page = await openPage(furnished.people.ana)
    await page.setViewportSize(sizes.phone)
    for (const [path, hasFilters] of lists) {
      await page.goto(stack.api.url + path)
      const isCard = `[...document.querySelectorAll('.table tbody tr')].every((row) => getComputedStyle(row).display === 'grid')`
      expect([path, await page.evaluate(isCard)]).toEqual([path, true])
      expect(await page.locator('.filters').count()).toBe(hasFilters ? 1 : 0)
      if (!hasFilters) continue
      const field = page.locator('.filter-fields .input').first()
      expect(await field.isVisible()).toBe(false)
      await page.getByRole('button', { name: /^Filters/ }).click()
      expect(await field.isVisible()).toBe(true)
      expect(await smallTargetsOf(page)).toEqual([])
    }
  })
})

/** The pages with lists, and whether they have filters. */
const lists = [
  ['/keys', true],
  ['/webhooks', false],
  ['/deliveries', true],
  ['/audit', true],
  ['/notices', false],
  ['/security', false],
  ['/organization/key-policy/violations', false],
] as const

/** With `SCREENSHOTS=1`, a screenshot of every page is written to `.cache/screenshots/`. */
const keepsPictures = process.env['SCREENSHOTS'] !== undefined

/** Checks a page in both color schemes and sizes. The color schemes differ only in colors. */
async function lookAt(page: Page, name: string): Promise<string[]> {
  const faults: string[] = []
  for (const [scheme, rules] of Object.entries(schemes)) {
    await page.emulateMedia({ colorScheme: scheme as 'light' | 'dark' })
    faults.push(...(await faultsOf(page, rules)))
    for (const [size, viewport] of Object.entries(sizes)) {
      await page.setViewportSize(viewport)
      const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
      if (width > viewport.width) faults.push(`is ${width} px wide on ${viewport.width} px`)
      if (size === 'phone' && scheme === 'light') faults.push(...(await smallTargetsOf(page)))
      if (keepsPictures) {
        await page.screenshot({ path: `${folder}/${name}-${scheme}-${size}.png`, fullPage: true })
      }
    }
    await page.setViewportSize(sizes.wide)
  }
  return faults
}

/** Processes the items with limited concurrency. */
async function eachOf<T>(
  items: readonly T[],
  atOnce: number,
  run: (item: T) => Promise<void>,
): Promise<void> {
  const rest = [...items]
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let item = rest.shift(); item; item = rest.shift()) await run(item)
    }),
  )
}
