import { beforeAll, describe, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { root } from '../../tools/run.ts'
import { quickstartLanguages, sitePages, type Audience } from '../../tools/site/pages.ts'
import { renderPage, resolveLink } from '../../tools/site/render-page.ts'
import { useApi } from '../support/api.ts'
import { crawlDocs, matchesOf, type Visited } from './crawl.ts'

const publicUrl = 'https://control.test.example'
const api = useApi({ PUBLIC_URL: publicUrl })

const originOf = (audience: Audience) => (audience === 'customers' ? api.url : api.internalUrl)

let visited: Readonly<Record<Audience, ReadonlyMap<string, Visited>>>

beforeAll(async () => {
  visited = {
    customers: await crawlDocs(api.url),
    platform: await crawlDocs(api.internalUrl),
  }
})

const contractPaths: Readonly<Record<Audience, readonly string[]>> = {
  customers: [
    '/docs',
    '/docs/webhooks',
    '/docs/events',
    ...['curl', 'typescript', 'python', 'php', 'go'].map((name) => `/docs/quickstart/${name}`),
    '/docs/cli',
    '/docs/sdk',
    '/docs/generators',
    '/docs/ci',
    '/docs/problems',
    '/docs/changelog',
    '/docs/api',
    '/docs/api/webhooks',
    '/docs/api/api-keys',
    '/docs/specification/workload-keys',
    '/downloads/hctl.tgz',
    '/downloads/sdk.tgz',
    '/downloads/hosting_sdk.whl',
    '/downloads/hctl.mjs',
    '/downloads/verify_webhook.py',
    '/downloads/verify_webhook.php',
    '/downloads/verify_webhook.go',
    '/api/v1/openapi.json',
  ],
  platform: [
    '/docs',
    '/docs/integrate',
    '/docs/internal-api',
    '/docs/operations',
    '/docs/configuration',
    '/downloads/platform-sdk.tgz',
    '/internal/v1/openapi.json',
  ],
}

const audiences: readonly Audience[] = ['customers', 'platform']

/** HTML without the elements that color code, which has fewer escapes. */
const withoutColors = (html: string): string =>
  html
    .replaceAll(/<span class="(?:h-|language-)[^"]*">|<\/span>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")

describe.each(audiences)('the documentation for %s', (audience) => {
  test('has every specified page, and each can be reached from /docs', () => {
    const found = visited[audience]
    expect(contractPaths[audience].filter((path) => found.get(path)?.status !== 200)).toEqual([])
    expect(sitePages[audience].filter(({ url }) => !found.has(url))).toEqual([])
    expect(quickstartLanguages).toHaveLength(5)
  })

  test('has no broken link and no missing anchor', () => {
    const links = [...visited[audience]].flatMap(([page, { links: targets }]) =>
      targets
        .filter((target) => !/^(https?|mailto):/.test(target) && target !== '/')
        .map((target) => ({ page, target })),
    )
    const broken = links.filter(({ page, target }) => {
      const [path, anchor] = target.split('#')
      const found = visited[audience].get(path === '' ? page : path!)
      return found?.status !== 200 || (anchor !== undefined && !found.ids.has(anchor))
    })
    expect(links.length).toBeGreaterThan(500)
    expect(broken).toEqual([])
  })

  test('has one title and one heading per page, and the id of each element is unique', () => {
    const errors = [...visited[audience]].flatMap(([path, { type, text }]) => {
      if (!type.startsWith('text/html')) return []
      const ids = matchesOf(text, /\sid="([^"]+)"/g)
      const repeated = ids.filter((id, index) => ids.indexOf(id) !== index)
      const headings = matchesOf(text, /<(h1)[\s>]/g).length
      const isRight = headings === 1 && repeated.length === 0 && text.includes('<html lang="en"')
      return isRight ? [] : [{ path, headings, repeated }]
    })
    expect(errors).toEqual([])
  })

  test('shows each document of the repository, with the URL of this service', async () => {
    for (const { url, source } of sitePages[audience]) {
      if (/configuration|operations|branding/.test(url)) continue
      const { html } = renderPage(
        { source, audience },
        readFileSync(root + source, 'utf8').replaceAll('https://panel.example.com', publicUrl),
      )
      const text = await (await fetch(originOf(audience) + url)).text()
      const withoutButtons = text
        .replaceAll('<div class="code"><pre>', '<pre>')
        .replaceAll(
          /<\/pre><button type="button" class="copy"[^>]*>Copy<\/button><\/div>/g,
          '</pre>',
        )
      expect(withoutColors(withoutButtons)).toContain(withoutColors(html))
    }
  })

  test('has each page as Markdown, with the same title, and lists them in /llms.txt', async () => {
    const pages = [...visited[audience]].filter(
      ([path, { text }]) => /^\/(docs|problems)/.test(path) && text.startsWith('<!doctype html>'),
    )
    expect(pages.length).toBeGreaterThan(30)
    for (const [path, { text }] of pages) {
      expect(text).toContain(`<link rel="alternate" href="${path}.md" type="text/markdown"/>`)
      const markdown = visited[audience].get(`${path}.md`)!
      expect([path, markdown.status, markdown.type]).toEqual([
        path,
        200,
        'text/markdown; charset=utf-8',
      ])
      const [title] = matchesOf(markdown.text, /^# (.+)$/gm)
      const [heading] = matchesOf(text, /<h1[^>]*>([^]*?)<\/h1>/g)
      expect(title!.replaceAll(/[`\\]/g, '')).toBe(heading!.replaceAll(/<[^>]+>/g, ''))
    }
    const { text, type } = visited[audience].get('/llms.txt')!
    expect(type).toBe('text/plain; charset=utf-8')
    expect(text).toMatch(/^# .+\n\n> .+\n\n## /)
    const listed = matchesOf(text, /\]\((?:https:\/\/control\.test\.example)?([^)]+)\)/g)
    expect(listed.length).toBeGreaterThan(10)
    expect(listed.filter((path) => !visited[audience].has(path))).toEqual([])
    const missing = pages
      .map(([path]) => `${path}.md`)
      .filter((path) => path.startsWith('/docs') && !listed.includes(path))
    expect(missing).toEqual([])
  })
})

/** Words of the internal API, of branding and of other customers' platforms. */
const forbidden =
  /internal[ -]?(api|port|listener)|INTERNAL_(?:URL|TOKENS|PORT)|\/internal\/|internalurl|service.token|brand|white.?label|platform-sdk|\/docs\/integrate|other platforms|Northwind/i

describe('the documentation for customers', () => {
  test('does not mention the internal API, branding or other platforms', async () => {
    const openapi = await (await fetch(`${api.url}/api/v1/openapi.json`)).text()
    const texts = [...visited.customers].map(([path, { text }]): [string, string] => [path, text])
    expect(texts.length).toBeGreaterThan(120)
    const found = [...texts, ['/api/v1/openapi.json', openapi] as const].flatMap(([path, text]) => {
      const [word] = forbidden.exec(text) ?? []
      return word === undefined ? [] : [`${path}: ${word}`]
    })
    expect(found).toEqual([])
  })

  test('the reference of a group begins with its records', async () => {
    const text = await (await fetch(`${api.url}/docs/api/webhooks.md`)).text()
    const [first] = text.match(/^## .*$/m)!
    expect(first).toBe('## List the endpoints')
  })

  test('each port serves only its own documents', async () => {
    const statusOf = async (url: string) => (await fetch(url)).status
    for (const path of ['/docs/integrate', '/docs/internal-api', '/docs/operations']) {
      expect([path, await statusOf(api.url + path)]).toEqual([path, 404])
    }
    for (const path of ['/docs/configuration', '/docs/specification/internal-api']) {
      expect([path, await statusOf(api.url + path)]).toEqual([path, 404])
    }
    expect(await statusOf(`${api.url}/downloads/platform-sdk.tgz`)).toBe(404)
    expect(await statusOf(`${api.url}/problems/invalid_service_token`)).toBe(404)
    expect(await statusOf(`${api.internalUrl}/problems/invalid_service_token`)).toBe(200)
    expect(await statusOf(`${api.internalUrl}/docs/api`)).toBe(404)
  })
})

describe('a document', () => {
  const forCustomers = (source: string) => ({ source, audience: 'customers' as const })

  test('links to the pages of other documents', () => {
    const guide = forCustomers('docs/webhooks.md')
    expect(
      resolveLink(forCustomers('docs/specification/webhooks.md'), '../webhooks.md#verify'),
    ).toBe('/docs/webhooks#verify')
    expect(resolveLink(guide, 'generated/openapi.json')).toBe('/api/v1/openapi.json')
    expect(resolveLink(guide, '#verify')).toBe('#verify')
    expect(resolveLink(guide, '../ARCHITECTURE.md')).toBeUndefined()
    expect(resolveLink(guide, 'integrate.md')).toBeUndefined()
    expect(resolveLink({ ...guide, audience: 'platform' }, 'integrate.md')).toBe('/docs/integrate')
  })

  test('replaces links to files that the service does not have with text', () => {
    const text = '# A\n\n[the runbook](operations.md)\n'
    expect(renderPage(forCustomers('docs/glossary.md'), text).html).toContain('<p>the runbook</p>')
  })

  test('contains no HTML of its own', () => {
    const text = '# A\n\n<script>x</script>\n\n<b onclick="x">y</b>\n'
    expect(renderPage(forCustomers('docs/glossary.md'), text).html).not.toMatch(/<script|<b /)
  })

  test('hides documents for the platform from customers', () => {
    const text = `# A

One.<!-- platform --> Two.<!-- /platform -->

| a | b |
| - | - |
| c | d <!-- platform --> |
| e | f |

<!-- platform -->

## B

<!-- /platform -->
`
    const source = 'docs/glossary.md'
    const customers = renderPage({ source, audience: 'customers' }, text)
    expect(customers.markdown).toBe('# A\n\nOne.\n\n| a | b |\n| - | - |\n| e | f |\n')
    expect(customers.contents).toEqual([])
    const platform = renderPage({ source, audience: 'platform' }, text)
    expect(platform.markdown).toContain('One. Two.')
    expect(platform.markdown).toContain('| c | d |')
    expect(platform.markdown).not.toContain('<!--')
    expect(platform.contents).toEqual([{ id: 'b', text: 'B' }])
  })
})

describe('a path with a trailing slash', () => {
  const redirectOf = async (path: string) => {
    const { status, headers } = await fetch(api.url + path, { redirect: 'manual' })
    return [status, headers.get('location')]
  }

  test.each([
    ['/docs/', '/docs'],
    ['/docs/webhooks/?a=1', '/docs/webhooks?a=1'],
    ['/docs/quickstart/python//', '/docs/quickstart/python'],
    ['/downloads/', '/downloads'],
  ])('%s redirects to %s', async (path, target) => {
    expect(await redirectOf(path)).toEqual([308, target])
  })

  test('/downloads leads to the page that names the downloads', async () => {
    expect(await redirectOf('/downloads')).toEqual([302, '/docs/sdk'])
  })

  test.each([
    '/api/v1/webhooks/',
    '/api/v1/',
    '/.well-known/security.txt/',
    '//evil.example/',
    '/nothing/',
    '/sign-in/',
    '/webhooks/',
  ])('%s is 404, as every path of the API and the panel', async (path) => {
    expect((await redirectOf(path))[0]).toBe(404)
  })
})
