import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

/** Options of axe: all rules of the standards that our pages keep. */
export const allRules = {
  runOnly: {
    type: 'tag',
    values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  },
}

/** Options of axe: the rules for colors, which take most of the time. */
export const colorRules = { runOnly: { type: 'rule', values: ['color-contrast'] } }

/** Options of axe: all rules but those for colors. */
export const structureRules = { ...allRules, rules: { 'color-contrast': { enabled: false } } }

/** Minified: it is loaded into hundreds of documents. */
const axeSource = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly help: string
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
  }[]
}

/** Checks a page, or the parts of it that match a selector, with options of axe, as it is at that time. */
export type AxeCheck = (options: object, within?: string) => Promise<string[]>

/**
 * axe continues by timers, which do not run on a page without scripts. Promises do. Its time limits, which are the
 * long timers, are left out: the test has one.
 */
const withoutTimers = `globalThis.setTimeout = (run, ms = 0) => (ms < 1000 && Promise.resolve().then(run), 0)`

const kindAttribute = 'data-first-of-its-kind'

/**
 * Marks the elements whose colors are checked: one of each kind. What the contrast of a text depends on, styles and
 * backgrounds, is equal within a kind: its computed styles and those of all elements around it.
 */
const markKinds = `{
  const kinds = new Map()
  const idOf = (kind) => kinds.get(kind) ?? (kinds.set(kind, kinds.size), kinds.size - 1)
  const visit = (element, around) => {
    const { tagName, className } = element
    const style = getComputedStyle(element)
    const { color, backgroundColor, backgroundImage, opacity, fontSize, fontWeight, textShadow } = style
    const { position, visibility, display, filter, mixBlendMode } = style
    const hasText = [...element.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim() !== '')
    const isExempt = element.matches(':disabled, [aria-disabled=true], [aria-hidden=true], [inert]')
    const size = kinds.size
    const kind = idOf([around, hasText, isExempt, tagName, className, color, backgroundColor, backgroundImage, opacity, fontSize,
      fontWeight, textShadow, position, visibility, display, filter, mixBlendMode].join('|'))
    element.toggleAttribute('${kindAttribute}', kinds.size > size || position !== 'static')
    for (const child of element.children) visit(child, kind)
  }
  visit(document.documentElement, '')
}`

const unmarkKinds = `for (const element of document.querySelectorAll('[${kindAttribute}]')) {
  element.removeAttribute('${kindAttribute}')
}`

const checkKinds = `axe.configure({ rules: [{ id: 'color-contrast', selector: '[${kindAttribute}]' }] })`

/**
 * Loads axe into the page that is open, and checks it as often as needed. axe runs in an isolated world, which
 * neither the page's CSP nor a browser without scripts governs.
 */
export async function withAxe<T>(page: Page, work: (check: AxeCheck) => Promise<T>): Promise<T> {
  const session = await page.context().newCDPSession(page)
  const { frameTree } = await session.send('Page.getFrameTree')
  const { executionContextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
  })
  const place = { contextId: executionContextId, awaitPromise: true, returnByValue: true }
  await session.send('Runtime.evaluate', {
    ...place,
    expression: `${withoutTimers};${axeSource};${checkKinds};0`,
  })
  const found = await work(async (options, within = 'html') => {
    const whole = { resultTypes: ['violations'], preload: false, ...options }
    const run = `${markKinds};axe.run('${within}', ${JSON.stringify(whole)}).then(({ violations }) => ({ violations }))`
    const { result } = await session.send('Runtime.evaluate', { ...place, expression: run })
    await session.send('Runtime.evaluate', { ...place, expression: unmarkKinds })
    const { violations } = result.value as AxeResult
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 200)} ${nodes[0]!.failureSummary}`,
    )
  })
  await session.detach()
  return found
}

/** The violations that axe finds on a page. */
export const errorsOf = (page: Page, options: object): Promise<string[]> =>
  withAxe(page, (check) => check(options))
