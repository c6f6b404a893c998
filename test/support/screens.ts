import { mkdirSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { root } from '../../tools/run.ts'
import { allRules, colorRules, structureRules, withAxe, type AxeCheck } from './axe.ts'

/** A desktop and a phone. */
export const screens = {
  1440: { width: 1_440, height: 900 },
  390: { width: 390, height: 844 },
} as const

/** A large desktop: only pictures are taken on it. */
const largest = { width: 1_920, height: 1_080 }

/** The narrowest screen that pages fit into, as WCAG 1.4.10 requires. */
const narrowest = { width: 320, height: 640 }

/** `npm run screenshots` writes the pictures of all pages into this folder. */
export const screenshotFolder = `${root}.cache/screenshots`
const keepsPictures = process.env['SCREENSHOTS'] !== undefined
const keepsWidePictures = process.env['SCREENSHOTS'] === 'wide'
if (keepsPictures) mkdirSync(screenshotFolder, { recursive: true })

/**
 * Checks the page that is open on each screen, in light and dark: with axe, also what opens on request, that nothing
 * is wider than the screen or, in a list, than its cell, and on a phone the size of targets. The page is not loaded
 * again, since its style only depends on the screen. With `SCREENSHOTS=1`, a picture of each is stored as
 * `<name>-<width>-<scheme>.png`; without a name, none. `SCREENSHOTS=wide` adds pictures at 1,920 px.
 *
 * @param options - `checks`: what axe checks, and on which screens.
 */
export async function errorsOnScreens(
  page: Page,
  name?: string,
  { checksTargets = true, checks = allChecks }: ScreenOptions = {},
): Promise<string[]> {
  const errors = [...(await errorsOfDocument(page, checks))]
  for (const [size, viewport] of Object.entries(screens)) {
    await page.setViewportSize(viewport)
    errors.push(...(await excessWidthOf(page, viewport.width)))
    errors.push(...(await clippedButtonsOf(page)))
    if (checksTargets && viewport === screens[390]) errors.push(...(await smallTargetsOf(page)))
    if (name !== undefined && keepsPictures) await keepPictures(page, `${name}-${size}`)
  }
  if (name !== undefined && keepsWidePictures) {
    await page.setViewportSize(largest)
    await keepPictures(page, `${name}-${largest.width}`)
  }
  await page.setViewportSize(narrowest)
  return [...errors, ...(await excessWidthOf(page, narrowest.width))]
}

async function keepPictures(page: Page, name: string): Promise<void> {
  for (const scheme of schemeNames) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    await page.screenshot({ path: `${screenshotFolder}/${name}-${scheme}.png`, fullPage: true })
  }
}

const schemeNames = ['light', 'dark'] as const

interface ScreenOptions {
  readonly checksTargets?: boolean
  readonly checks?: readonly ScreenCheck[]
}

type ScreenCheck = readonly [size: keyof typeof screens, scheme: 'light' | 'dark', options: object]

/** A page has the same colors on all screens and the same structure in all schemes, so two of the four views have them all. */
const allChecks: readonly ScreenCheck[] = [
  [1440, 'light', allRules],
  [390, 'dark', allRules],
]

/** The same for a page that is checked with and without scripts, which change neither its colors nor its layout. */
export const checksWithScripts: readonly ScreenCheck[] = [
  [1440, 'light', colorRules],
  [390, 'dark', allRules],
]
export const checksWithoutScripts: readonly ScreenCheck[] = [[1440, 'light', structureRules]]

/** What axe finds in the document on each screen, and in light and dark. */
async function errorsOfDocument(
  page: Page,
  checks: readonly ScreenCheck[],
): Promise<readonly string[]> {
  if (checks.length === 0) return []
  const errors: string[] = []
  await withAxe(page, async (check) => {
    for (const [size, scheme, options] of checks) {
      await page.setViewportSize(screens[size])
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
      const found = await errorsOfOpened(page, check, options)
      errors.push(...found.map((error) => `${size} px, ${scheme}: ${error}`))
    }
  })
  return errors
}

/** HTML without what differs each time: the current page and its path, ids, tokens, and numbers in its texts. */
const withoutValues = (html: string): string =>
  html
    .replace(/ aria-current="\w+"| value="\/[^"]*"/g, '')
    .replace(/[\da-f]{8}-[\da-f-]{27}|\d{4}-\d\d-\d\d[T ][\d:.]+|[\w-]{40,}/g, '0')
    .replace(/>[^<]+</g, (text) => text.replace(/\d+/g, '0'))

/** Opens the closed details and marks them. */
const openDetails = `for (const details of document.querySelectorAll('details:not([open])')) {
  details.open = true
  details.dataset.opened = ''
}`

const closeDetails = `for (const details of document.querySelectorAll('[data-opened]')) {
  details.open = false
  delete details.dataset.opened
}`

const checkedMenus = new Set<string>()

/** What axe finds on a page with its details open, and then in each menu. Leaves them closed. */
async function errorsOfOpened(page: Page, check: AxeCheck, options: object): Promise<string[]> {
  await page.evaluate(openDetails)
  const errors = await check(options)
  await page.evaluate(closeDetails)
  const menus = await page.evaluate<readonly (readonly [id: string, html: string])[]>(
    `[...document.querySelectorAll('[popovertarget]')].filter((button) => button.checkVisibility())
      .map((button) => button.getAttribute('popovertarget'))
      .map((id) => [id, document.getElementById(id).outerHTML])`,
  )
  for (const [id, html] of new Map(menus)) {
    const menu = [JSON.stringify(options), page.viewportSize()?.width, withoutValues(html)].join()
    // The navigation is the same on many pages.
    if (checkedMenus.has(menu)) continue
    checkedMenus.add(menu)
    await page.evaluate(`document.getElementById('${id}').showPopover()`)
    errors.push(...(await check(options, `#${id}`)))
    await page.evaluate(`document.getElementById('${id}').hidePopover()`)
  }
  return errors
}

async function excessWidthOf(page: Page, width: number): Promise<string[]> {
  const actual = Number(await page.evaluate('document.documentElement.scrollWidth'))
  if (actual <= width) return []
  const widest = await page.evaluate<string>(
    `[...document.querySelectorAll('main *')].findLast((element) => element.getBoundingClientRect().right > ${width})?.outerHTML.slice(0, 200) ?? ''`,
  )
  return [`is ${actual} px wide on ${width} px: ${widest}`]
}

/** Buttons that are wider than their cell of a list, which hides the rest of them. */
const clippedButtonsOf = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('.list td .button')]
    .filter((button) => button.getBoundingClientRect().right > button.closest('td').getBoundingClientRect().right + 1 ||
      button.getBoundingClientRect().left < button.closest('td').getBoundingClientRect().left - 1)
    .map((button) => 'is clipped: ' + button.outerHTML.slice(0, 160))`)

/** The least width and height of a target, in CSS pixels (WCAG 2.2, 2.5.5). Half a pixel is rounding. */
const leastPx = 43.5

/**
 * Finds the targets of a page, in the page. A label enlarges its checkbox, and a row the link that covers it. Links within
 * a text are exempt, and so are the bars of a chart, whose table has the same links, and of a histogram: the filters of its
 * list select the same times.
 */
const script = `(() => {
  const blockOf = (node) => {
    let element = node.parentElement
    while (getComputedStyle(element).display.startsWith('inline') &&
      getComputedStyle(element).display === 'inline') element = element.parentElement
    return element
  }
  const isInText = (link) => {
    if (getComputedStyle(link).display !== 'inline') return false
    const block = blockOf(link)
    const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const { currentNode: text } = walker
      if (text.data.trim() !== '' && !link.contains(text) && blockOf(text) === block) return true
    }
    return false
  }
  const errors = []
  for (const element of document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary')) {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue
    if (element.closest('.visually-hidden, .skip, .chart svg, .histogram svg') || isInText(element)) continue
    const isBox = element.type === 'checkbox' || element.type === 'radio'
    const covers = getComputedStyle(element, '::after').position === 'absolute' && element.closest('tr')
    const target = (isBox && element.closest('label')) || covers || element
    const { width, height } = target.getBoundingClientRect()
    if (width >= ${leastPx} && height >= ${leastPx}) continue
    errors.push(Math.round(width) + ' x ' + Math.round(height) + ' px: ' + target.outerHTML.slice(0, 160))
  }
  return [...new Set(errors)]
})()`

/** The targets of a page that are smaller than 44 by 44 px. */
export const smallTargetsOf = (page: Page): Promise<string[]> => page.evaluate<string[]>(script)
