import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** The axe rules per color scheme. The schemes differ only in color. */
export const schemes = {
  light: {
    type: 'tag',
    values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  },
  dark: { type: 'rule', values: ['color-contrast'] },
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly help: string
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
  }[]
}

/** The violations that axe finds on a page. It runs in an isolated world, which the page's CSP does not govern. */
export async function faultsOf(page: Page, runOnly: object): Promise<string[]> {
  const session = await page.context().newCDPSession(page)
  const { frameTree } = await session.send('Page.getFrameTree')
  const { executionContextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
  })
  const place = { contextId: executionContextId, awaitPromise: true, returnByValue: true }
  await session.send('Runtime.evaluate', { ...place, expression: `${axe.source};0` })
  const run = `axe.run({ resultTypes: ['violations'], runOnly: ${JSON.stringify(runOnly)} }).then(({ violations }) => ({ violations }))`
  const { result } = await session.send('Runtime.evaluate', { ...place, expression: run })
  await session.detach()
  const { violations } = result.value as AxeResult
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 200)} ${nodes[0]!.failureSummary}`,
  )
}
