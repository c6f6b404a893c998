import { mkdirSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { root } from '../../tools/run.ts'
import { schemes, withAxe, type AxeCheck } from './axe.ts'
import { smallTargetsOf } from './targets.ts'

/** A desktop and a phone. */
export const screens = {
  1440: { width: 1_440, height: 900 },
  390: { width: 390, height: 844 },
} as const

/** The narrowest screen that pages fit into, as WCAG 1.4.10 requires. */
const narrowest = { width: 320, height: 640 }

/** `npm run screenshots` writes the pictures of all pages into this folder. */
export const screenshotFolder = `${root}.cache/screenshots`
const keepsPictures = process.env['SCREENSHOTS'] !== undefined
if (keepsPictures) mkdirSync(screenshotFolder, { recursive: true })

/**
 * Checks the page that is open on each screen, in light and dark: with axe, also what opens on request, that nothing
 * is wider than the screen, and on a phone the size of targets. The page is not loaded again, since its style only depends on the screen. With `SCREENSHOTS=1`, a
 * picture of each is stored as `<name>-<width>-<scheme>.png`; without a name, none.
 */
export async function faultsOnScreens(
  page: Page,
  name?: string,
  { checksTargets = true } = {},
): Promise<string[]> {
  const faults: string[] = []
  await withAxe(page, async (check) => {
    for (const [size, viewport] of Object.entries(screens)) {
      await page.setViewportSize(viewport)
      for (const [scheme, rules] of Object.entries(schemes)) {
        await page.emulateMedia({
          colorScheme: scheme as 'light' | 'dark',
          reducedMotion: 'reduce',
        })
        const found = [...(await check(rules)), ...(await faultsOfOpened(page, check, rules))]
        faults.push(...found.map((fault) => `${size} px, ${scheme}: ${fault}`))
        if (name === undefined || !keepsPictures) continue
        const path = `${screenshotFolder}/${name}-${size}-${scheme}.png`
        await page.screenshot({ path, fullPage: true })
      }
      faults.push(...(await excessWidthOf(page, viewport.width)))
      if (checksTargets && viewport === screens[390]) faults.push(...(await smallTargetsOf(page)))
    }
  })
  await page.setViewportSize(narrowest)
  return [...faults, ...(await excessWidthOf(page, narrowest.width))]
}

/** Opens the closed details and marks them. Returns their number. */
const openDetails = `(() => {
  const closed = [...document.querySelectorAll('details:not([open])')]
  for (const details of closed) {
    details.open = true
    details.dataset.opened = ''
  }
  return closed.length
})()`

const closeDetails = `(() => {
  for (const details of document.querySelectorAll('[data-opened]')) {
    details.open = false
    delete details.dataset.opened
  }
})()`

const checkedMenus = new Set<string>()

/** What axe finds in the details and menus of a page once they are open. Leaves them closed. */
async function faultsOfOpened(page: Page, check: AxeCheck, rules: object): Promise<string[]> {
  const faults: string[] = []
  if ((await page.evaluate<number>(openDetails)) > 0) {
    faults.push(...(await check(rules, '[data-opened]')))
    await page.evaluate(closeDetails)
  }
  const menus = await page.evaluate<readonly (readonly [id: string, html: string])[]>(
    `[...document.querySelectorAll('[popovertarget]')].filter((button) => button.checkVisibility())
      .map((button) => button.getAttribute('popovertarget'))
      .map((id) => [id, document.getElementById(id).outerHTML])`,
  )
  for (const [id, html] of new Map(menus)) {
    const menu = [JSON.stringify(rules), page.viewportSize()?.width, html].join()
    // The navigation is the same on many pages.
    if (checkedMenus.has(menu)) continue
    checkedMenus.add(menu)
    await page.evaluate(`document.getElementById('${id}').showPopover()`)
    faults.push(...(await check(rules, `#${id}`)))
    await page.evaluate(`document.getElementById('${id}').hidePopover()`)
  }
  return faults
}

async function excessWidthOf(page: Page, width: number): Promise<string[]> {
  const actual = Number(await page.evaluate('document.documentElement.scrollWidth'))
  if (actual <= width) return []
  const widest = await page.evaluate<string>(
    `[...document.querySelectorAll('main *')].findLast((element) => element.getBoundingClientRect().right > ${width})?.outerHTML.slice(0, 200) ?? ''`,
  )
  return [`is ${actual} px wide on ${width} px: ${widest}`]
}
