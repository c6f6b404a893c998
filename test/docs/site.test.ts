import { beforeAll, describe, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { root } from '../../tools/run.ts'
import { quickstartLanguages, sitePages } from '../../tools/site/pages.ts'
import { renderPage, resolveLink } from '../../tools/site/render-page.ts'
import { useApi } from '../support/api.ts'

const api = useApi()

interface Visited {
  readonly status: number
  readonly ids: ReadonlySet<string>
  readonly links: readonly string[]
}

const visited = new Map<string, Visited>()

const matchesOf = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, value]) => value!.replaceAll('&amp;', '&'))

async function visit(path: string): Promise<Visited> {
  const response = await fetch(api.url + path, { redirect: 'manual' })
  const isPage = response.headers.get('content-type')?.startsWith('text/html') ?? false
  const text = isPage ? await response.text() : ''
  await response.body?.cancel().catch(() => undefined)
  return {
    status: response.status,
    ids: new Set(matchesOf(text, /\sid="([^"]+)"/g)),
    links: matchesOf(text, /<a\s[^>]*?href="([^"]+)"/g),
  }
}

/** Visits every page that can be reached from `/docs`. */
beforeAll(async () => {
  const waiting = ['/docs']
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (visited.has(path)) continue
    const page = await visit(path)
    visited.set(path, page)
    const paths = page.links
      .filter((link) => link.startsWith('/'))
      .map((link) => link.split('#')[0]!)
    waiting.push(...paths)
  }
}, 60_000)

describe('the documentation', () => {
  test('has every specified page, and each can be reached from /docs', () => {
    const expected = [
      '/docs/webhooks',
      ...['curl', 'typescript', 'python', 'php', 'go'].map((name) => `/docs/quickstart/${name}`),
      '/docs/cli',
      '/docs/ci',
      '/docs/specification/workload-keys',
      '/docs/sdk',
      '/docs/integrate',
      '/docs/problems',
      '/docs/api',
      '/downloads/hctl.tgz',
      '/downloads/sdk.tgz',
      '/downloads/hctl.mjs',
      '/downloads/verify_webhook.py',
      '/downloads/verify_webhook.php',
      '/api/v1/openapi.json',
    ]
    expect(expected.filter((path) => visited.get(path)?.status !== 200)).toEqual([])
    expect(sitePages.filter(({ url }) => !visited.has(url))).toEqual([])
    expect(quickstartLanguages).toHaveLength(5)
  })

  test('has no broken link and no missing anchor', () => {
    const links = [...visited].flatMap(([page, { links: targets }]) =>
      targets
        .filter((target) => !/^(https?|mailto):/.test(target))
        .map((target) => ({ page, target })),
    )
    const broken = links.filter(({ page, target }) => {
      const [path, anchor] = target.split('#')
      const found = visited.get(path === '' ? page : path!)
      return found?.status !== 200 || (anchor !== undefined && !found.ids.has(anchor))
    })
    expect(links.length).toBeGreaterThan(500)
    expect(broken).toEqual([])
  })

  test('has one title and one heading per page, and the id of each element is unique', async () => {
    for (const { url } of sitePages) {
      const text = await (await fetch(api.url + url)).text()
      expect(matchesOf(text, /<(h1)[\s>]/g)).toHaveLength(1)
      expect(text).toContain('<html lang="en">')
      const ids = matchesOf(text, /\sid="([^"]+)"/g)
      expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
    }
  })

  test('shows each document of the repository unchanged', async () => {
    for (const { url, source } of sitePages) {
      const { html } = renderPage(source, readFileSync(root + source, 'utf8'))
      expect(await (await fetch(api.url + url)).text()).toContain(html)
    }
  })
})

describe('a document', () => {
  test('links to the pages of other documents', () => {
    expect(resolveLink('docs/specification/webhooks.md', '../webhooks.md#verify')).toBe(
      '/docs/webhooks#verify',
    )
    expect(resolveLink('docs/webhooks.md', 'openapi.json')).toBe('/api/v1/openapi.json')
    expect(resolveLink('docs/webhooks.md', '#verify')).toBe('#verify')
    expect(resolveLink('docs/webhooks.md', '../ARCHITECTURE.md')).toBeUndefined()
  })

  test('replaces links to files that the service does not have with text', () => {
    const { html } = renderPage('docs/glossary.md', '# A\n\n[the runbook](operations.md)\n')
    expect(html).toContain('<p>the runbook</p>')
  })

  test('contains no HTML of its own', () => {
    const { html } = renderPage(
      'docs/glossary.md',
      '# A\n\n<script>x</script>\n\n<b onclick="x">y</b>\n',
    )
    expect(html).not.toMatch(/<script|<b /)
  })
})
