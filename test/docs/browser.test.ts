import { beforeAll, expect, test } from '@jest/globals'
import { mkdir } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { root } from '../../tools/run.ts'
import { sitePages } from '../../tools/site/pages.ts'
import { openPage } from '../panel/panel-stack.ts'
import { useApi } from '../support/api.ts'
import { allRules, colorRules, withAxe } from '../support/axe.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'

const folder = `${root}.cache/screenshots`
const api = useApi()

/** With `SCREENSHOTS=1`, a screenshot of every page is written to `.cache/screenshots/`. */
const keepsPictures = process.env['SCREENSHOTS'] !== undefined

const publicPaths = [
  '/docs',
  '/docs/api',
  '/docs/api/webhooks',
  '/docs/search?q=webhook',
  '/docs/events',
  '/problems',
  ...sitePages.customers.map(({ url }) => url),
]

const internalPaths = [
  '/docs',
  '/docs/integrate',
  '/docs/internal-api',
  '/docs/operations',
  '/docs/configuration',
]

const focusedText = (page: Page): Promise<unknown> =>
  page.evaluate('document.activeElement.textContent.trim()')

describeInBrowser('every page of the documentation', () => {
  const browser = useBrowser()
  beforeAll(() => mkdir(folder, { recursive: true }))

  async function errorsAt(page: Page & { complaints: string[] }, url: string): Promise<string[]> {
    page.complaints.length = 0
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 1_280, height: 800 })
    await page.goto(url)
    const found = await withAxe(page, async (check) => {
      const inLight = await check(allRules)
      await keepPicture(page, url, 'wide-light')
      await page.emulateMedia({ colorScheme: 'dark' })
      return [...inLight, ...(await check(colorRules))]
    })
    await page.setViewportSize({ width: 320, height: 640 })
    const width = await page.evaluate('document.documentElement.scrollWidth')
    if (width !== 320) found.push(`is ${String(width)} px wide on a screen of 320 px`)
    await page.setViewportSize({ width: 390, height: 844 })
    await keepPicture(page, url, 'phone-dark')
    return [...found, ...page.complaints].map((error) => `${url}: ${error}`)
  }

  async function keepPicture(page: Page, url: string, kind: string): Promise<void> {
    if (!keepsPictures) return
    const name = new URL(url).pathname.slice(1).replaceAll('/', '-')
    await page.screenshot({ path: `${folder}/${name}-${kind}.png` })
  }

  test('passes axe in light and dark, fits into 320 px, and causes no browser errors', async () => {
    const page = await openPage(await browser.open())
    const errors: string[] = []
    for (const path of publicPaths) errors.push(...(await errorsAt(page, api.url + path)))
    for (const path of internalPaths) {
      errors.push(...(await errorsAt(page, api.internalUrl + path)))
    }
    expect(errors).toEqual([])
  }, 600_000)

  test('axe finds a text whose colors differ from those of equal elements, whatever makes them differ', async () => {
    const page = await openPage(await browser.open())
    const rows = (style: string) => `<div ${style}>${'<p><b>Text</b></p>'.repeat(20)}</div>`
    const light = 'style="background: #888"'
    const styles = 'p { color: #000 } #pale p:nth-child(9) b { color: #ddd }'
    const dark = '#dark p:nth-child(7) { background: #222 }'
    const bodies = [
      rows('id="pale"'),
      rows('id="dark"'),
      `<div style="color: #999">${rows('')}</div>`,
      rows(light).replace('<p>', '<p style="color: #777">'),
    ]
    const counts: number[] = []
    for (const body of ['', ...bodies]) {
      await page.setContent(`<style>${styles} ${dark}</style>${rows('')}${body}`)
      counts.push((await withAxe(page, (check) => check(colorRules))).length)
    }
    expect(counts).toEqual([0, 1, 1, 0, 1])
  })

  test('every page can be used with the keyboard', async () => {
    const page = await openPage(await browser.open())
    const pages = [
      ...publicPaths.map((path) => api.url + path),
      ...internalPaths.map((path) => api.internalUrl + path),
    ]
    for (const url of pages) {
      await page.goto(url)
      await page.keyboard.press('Tab')
      expect([url, await focusedText(page)]).toEqual([url, 'Skip to content'])
      await page.keyboard.press('Enter')
      expect([url, await page.evaluate('document.activeElement.id')]).toEqual([url, 'content'])
      await page.keyboard.press('Tab')
      // A page without links, such as an empty search, has nothing after its content.
      const outline = await page.evaluate(
        "document.activeElement === document.body ? 'none left' : getComputedStyle(document.activeElement).outlineStyle",
      )
      expect([url, outline]).not.toEqual([url, 'none'])
    }
    expect(page.complaints).toEqual([])
  }, 300_000)

  test('an operation of the reference is opened and read with the keyboard', async () => {
    const page = await openPage(await browser.open())
    await page.goto(`${api.url}/docs/api/webhooks#webhooks.create`)
    const operation = page.locator('section[aria-labelledby="webhooks.create"]')
    for (const language of ['TypeScript', 'Python']) {
      const summary = operation.locator('summary', { hasText: language })
      await summary.focus()
      await page.keyboard.press('Enter')
      const code = operation.locator('details', { hasText: language }).locator('pre')
      expect(await code.isVisible()).toBe(true)
    }
    const response = operation.locator('summary', { hasText: '201' })
    await response.focus()
    await page.keyboard.press('Enter')
    expect(await operation.getByText('webhook.last_success_at', { exact: true }).isVisible()).toBe(
      true,
    )
    expect(page.complaints).toEqual([])
  })

  test('the documentation is searched with the key /', async () => {
    const page = await openPage(await browser.open())
    await page.goto(`${api.url}/docs/api`)
    await page.keyboard.press('/')
    await page.keyboard.type('redeliver')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/docs\/search\?q=redeliver$/)
    await page.getByRole('link', { name: 'Redeliver' }).first().click()
    await page.waitForURL(/\/docs\/api\/webhook-deliveries#/)
    expect(page.complaints).toEqual([])
  })

  test('the key / starts no search if it is turned off, or if it was meant for something else', async () => {
    const page = await openPage(await browser.open())
    const isSearching = async (): Promise<boolean> => {
      await page.keyboard.press('/')
      return page.evaluate<boolean>('document.activeElement.type === "search"')
    }
    const choice = page.getByLabel('Use shortcuts of a single character')
    for (const origin of [api.url, api.internalUrl]) {
      await page.goto(`${origin}/docs`)
      await choice.uncheck()
      expect(await isSearching()).toBe(false)
      await page.reload()
      expect([await choice.isChecked(), await isSearching()]).toEqual([false, false])
      await choice.check()
      expect(await isSearching()).toBe(true)
    }
    await page.goto(`${api.url}/docs`)
    await page.evaluate(
      "document.body.addEventListener('keydown', (event) => event.preventDefault())",
    )
    expect(await isSearching()).toBe(false)
    expect(page.complaints).toEqual([])
  })

  test('on a phone, the menu is at the top, closed, and opens without scripts', async () => {
    const context = await browser.open({
      javaScriptEnabled: false,
      viewport: { width: 390, height: 844 },
    })
    const page = await openPage(context)
    await page.goto(`${api.url}/docs/webhooks`)
    const menu = page.getByRole('navigation', { name: 'Documentation' })
    expect(await menu.isVisible()).toBe(false)
    const summary = page.locator('details.menu summary')
    expect((await summary.boundingBox())!.y).toBeLessThan(150)
    await summary.click()
    await menu.getByRole('link', { name: 'Event types' }).click()
    await page.waitForURL(/\/docs\/events$/)
    await page.setViewportSize({ width: 1_440, height: 900 })
    expect(await menu.isVisible()).toBe(true)
    expect(await summary.isVisible()).toBe(false)
    expect(page.complaints).toEqual([])
  })

  test('code has colors of its own in both themes, and inline code differs from the page', async () => {
    const page = await openPage(await browser.open())
    await page.goto(`${api.url}/docs/webhooks`)
    const colorsIn = async (colorScheme: 'light' | 'dark'): Promise<string[]> => {
      await page.emulateMedia({ colorScheme })
      const classes = ['h-keyword', 'h-string', 'h-attribute', 'h-comment']
      const script = `${JSON.stringify(classes)}.map((name) =>
        getComputedStyle(document.querySelector('.' + name)).color)`
      return page.evaluate<string[]>(script)
    }
    const [light, dark] = [await colorsIn('light'), await colorsIn('dark')]
    expect(new Set([...light, ...dark]).size).toBe(8)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const [inline, behind] = await page.evaluate<[number[], number[]]>(`
        ['main p > code', 'body'].map((selector) => {
          const { backgroundColor } = getComputedStyle(document.querySelector(selector))
          return backgroundColor.match(/\\d+/g).map(Number)
        })`)
      const difference = inline.reduce((sum, value, at) => sum + Math.abs(value - behind[at]!), 0)
      expect(difference).toBeGreaterThan(30)
    }
  })

  test('a button copies the code of its block, and is not shown without scripts', async () => {
    const context = await browser.open({ permissions: ['clipboard-read', 'clipboard-write'] })
    const page = await openPage(context)
    await page.goto(`${api.url}/docs/cli`)
    const block = page.locator('.code').first()
    await block.getByRole('button', { name: 'Copy code' }).click()
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor()
    const copied = await page.evaluate('navigator.clipboard.readText()')
    expect(copied).toBe((await block.locator('pre').textContent())!.trimEnd())
    expect(page.complaints).toEqual([])

    const plain = await openPage(await browser.open({ javaScriptEnabled: false }))
    await plain.goto(`${api.url}/docs/cli`)
    expect(await plain.locator('.copy').first().isVisible()).toBe(false)
    expect(plain.complaints).toEqual([])
  })

  test('says if the browser does not allow copying, and selects the code', async () => {
    const page = await openPage(await browser.open())
    await page.addInitScript(
      "navigator.clipboard.writeText = () => Promise.reject(new Error('no'))",
    )
    await page.goto(`${api.url}/docs/cli`)
    const block = page.locator('.code').first()
    await block.getByRole('button', { name: 'Copy code' }).click()
    await page.getByRole('status').filter({ hasText: 'did not allow' }).waitFor()
    const selected = String(await page.evaluate('String(getSelection())'))
    expect(selected.trim()).toBe((await block.locator('pre').textContent())!.trim())
    expect(page.complaints).toEqual([])
  })
})
