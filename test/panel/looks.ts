import { mkdir } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { root } from '../../tools/run.ts'
import { faultsOf, schemes } from '../support/axe.ts'

const folder = `${root}.cache/screenshots`
const sizes = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const

/**
 * Checks the current page on a desktop and a phone, in light and dark. With `SCREENSHOTS=1`, a screenshot of each is
 * written to `.cache/screenshots/`.
 */
export async function faultsOnScreens(page: Page, name: string): Promise<string[]> {
  const faults: string[] = []
  for (const [size, viewport] of Object.entries(sizes)) {
    await page.setViewportSize(viewport)
    for (const [scheme, rules] of Object.entries(schemes)) {
      await page.emulateMedia({ colorScheme: scheme as 'light' | 'dark', reducedMotion: 'reduce' })
      faults.push(...(await faultsOf(page, rules)))
      const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
      if (width > viewport.width) faults.push(`is ${width} px wide on ${viewport.width} px`)
      if (process.env['SCREENSHOTS'] === undefined) continue
      await mkdir(folder, { recursive: true })
      await page.screenshot({ path: `${folder}/${name}-${scheme}-${size}.png`, fullPage: true })
    }
  }
  return faults.map((fault) => `${name}: ${fault}`)
}
