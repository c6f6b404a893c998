import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pages } from '../../apps/api/src/panel/pages.ts'
import { allRules, colorRules, errorsOf } from '../support/axe.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import {
  checksWithoutScripts,
  checksWithScripts,
  errorsOnScreens,
  screens,
  smallTargetsOf,
} from '../support/screens.ts'
import { useStack } from '../support/stack.ts'
import { furnish, type Furnished } from './furnished.ts'
import { holdCookie, openPage } from './panel-stack.ts'
import { listScreens } from './screen-list.ts'

/** Pages that only redirect: to the identity provider, or back to a page of the list. */
const redirects = [
  '/sign-in/oidc',
  '/sign-in/oidc/callback',
  '/sign-in/oidc/sign-out',
  '/theme',
  '/density',
  '/times',
]

describeInBrowser('every page', () => {
  const stack = useStack({
    TRUSTED_PROXIES: '127.0.0.1/32',
    WEBHOOK_RETRY_DELAYS_SECONDS: '3600',
  })
  const browser = useBrowser()
  let furnished: Furnished

  beforeAll(async () => {
    furnished = await furnish(stack)
  })
  afterAll(() => furnished?.close())

  const variants = [
    { javaScriptEnabled: true, how: 'with scripts' },
    { javaScriptEnabled: false, how: 'without scripts' },
  ]

  test.each(variants)(
    'the checks detect an invalid page $how',
    async ({ javaScriptEnabled, how }) => {
      const page = await (await browser.open({ javaScriptEnabled })).newPage()
      await page.setContent('<p style="color:#999;background:#fff">Pale</p><img src="x.png">')
      const found = [await errorsOf(page, allRules), await errorsOf(page, colorRules)]
      expect(found[0]!.join()).toMatch(/image-alt/)
      expect(found[1]!.join()).toMatch(/color-contrast/)
      await page.setContent('<title>Wide</title><p style="width: 800px">Wide</p><button>x</button>')
      const onScreens = (await errorsOnScreens(page)).join()
      expect(onScreens).toContain('wide on 390 px')
      expect(onScreens).toMatch(/\d+ x \d+ px: <button>x/)
      const dark = '@media (prefers-color-scheme: dark) { body { background: #222; color: #333 } }'
      await page.setContent(
        `<title>Dark</title><style>${dark}</style><main><h1>Dark</h1>${how}</main>`,
      )
      expect((await errorsOnScreens(page)).join()).toMatch(/390 px, dark: color-contrast/)
      const hidden = '<img src="x.png">'
      await page.setContent(
        `<title>Closed</title><main><details><summary>More</summary>${how}${hidden}</details></main>`,
      )
      expect((await errorsOnScreens(page)).join()).toMatch(/1440 px, light: image-alt/)
      await page.setContent(
        `<title>Closed</title><main><button popovertarget="m">Menu</button><p popover id="m">${how}${hidden}</p></main>`,
      )
      expect((await errorsOnScreens(page)).join()).toMatch(/390 px, dark: image-alt/)
    },
  )

  test.each(variants)(
    'passes axe at 1,440 and 390 px in light and dark, fits, and causes no browser errors $how',
    async ({ javaScriptEnabled }) => {
      const errors: string[] = []
      const shown = new Set<string>()
      await eachOf(listScreens(stack, furnished), 4, async ({ cookie, screens: ways }) => {
        const page = await enter(cookie, javaScriptEnabled)
        for (const [name, prepare] of Object.entries(ways)) {
          page.complaints.length = 0
          await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
          await page.setViewportSize(screens[1440])
          await prepare(page)
          const path = pathOf(new URL(page.url()).pathname)
          const isNew = !shown.has(path)
          shown.add(path)
          // Scripts add the same elements to all states of a page, so axe checks one state of it without them.
          const checks = isNew ? checksWithoutScripts : []
          const found = javaScriptEnabled
            ? await errorsOnScreens(page, name, { checks: checksWithScripts })
            : await errorsOnScreens(page, undefined, { checks })
          const unexpected = page.complaints.filter((text) => !/status of [45]\d\d/.test(text))
          errors.push(...[...found, ...unexpected].map((error) => `${name}: ${error}`))
        }
        await page.context().close()
      })
      expect(errors).toEqual([])
      const missing = pages.map(({ path }) => path).filter((path) => !shown.has(path))
      expect(missing).toEqual(redirects)
    },
    600_000,
  )

  test.each(variants)(
    'rows of lists have two lines on a phone, and filters open on request $how',
    async (how) => {
      const page = await enter(furnished.people.ana, how.javaScriptEnabled)
      await page.setViewportSize(screens[390])
      for (const [path, filters] of lists) {
        await page.goto(stack.api.url + path)
        const heights = `[...document.querySelectorAll('.list tbody tr')].map((row) => row.offsetHeight)`
        // Entries of the audit log are sentences, which wrap.
        const heightMax = path === '/audit' ? Infinity : 64
        const tall = (await page.evaluate<number[]>(heights)).filter((height) => height > heightMax)
        expect([path, tall]).toEqual([path, []])
        const opener = page.locator('.filters .filter-menu > summary')
        expect([path, await opener.count()]).toEqual([path, filters])
        for (const button of await opener.all()) {
          const field = page.locator('.filters .filter-fields .input').first()
          expect(await field.isVisible()).toBe(false)
          await button.click()
          expect(await field.isVisible()).toBe(true)
          expect(await smallTargetsOf(page)).toEqual([])
        }
      }
      await page.context().close()
    },
  )

  async function enter(cookie: string | undefined, javaScriptEnabled: boolean) {
    const context = await browser.open({ javaScriptEnabled })
    if (cookie !== undefined) await holdCookie(stack, context, cookie)
    return openPage(context)
  }
})

/** The pages with lists, and their buttons for filters. */
const lists = [
  ['/keys', 1],
  ['/webhooks', 0],
  ['/deliveries', 1],
  ['/events', 1],
  ['/audit', 1],
  ['/notices', 0],
  ['/security', 0],
  ['/organization/key-policy/violations', 0],
] as const

/** The path of the panel's page that the URL's path belongs to. */
const pathOf = (pathname: string): string =>
  pages.find(({ path }) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`).test(pathname))
    ?.path ?? pathname

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
