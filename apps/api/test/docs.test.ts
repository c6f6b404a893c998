import { internalRoutes, problemsOf, publicRoutes, type Route } from '@hosting/api'
import { internalProblems, problemCatalog, type ProblemCode } from '@hosting/core/problems'
import { describe, expect, test } from '@jest/globals'
import request from 'supertest'
import { useApi } from '../../../test/support/api.ts'

const api = useApi()

async function open(path: string) {
  const { status, headers, text } = await request(api.url).get(path)
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  return { headers, text }
}

const codes = (Object.keys(problemCatalog) as ProblemCode[]).filter(
  (code) => !internalProblems.has(code),
)

/** Text as it appears in HTML. */
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** HTML as text, in which code can be searched. */
const unescaped = (html: string) =>
  html
    .replaceAll(/<span class="h-[^"]*">|<\/span>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

const pages = [
  '/docs',
  '/docs/api',
  '/docs/webhooks',
  '/docs/events',
  '/docs/changelog',
  '/problems',
  '/problems/not_found',
]

describe('every page', () => {
  test.each(pages)('%s allows only its own script, style sheet and icon', async (path) => {
    const { headers, text } = await open(path)
    const policy = new Map(
      String(headers['content-security-policy'])
        .split('; ')
        .map((directive): [string, string] => {
          const [name, ...sources] = directive.split(' ')
          return [name!, sources.join(' ')]
        }),
    )
    expect(policy.get('default-src')).toBe("'none'")
    expect(policy.get('base-uri')).toBe("'none'")
    expect(policy.get('form-action')).toBe("'self'")
    expect(policy.get('frame-ancestors')).toBe("'none'")
    expect(policy.get('script-src')).toBe("'self'")
    expect(policy.get('require-trusted-types-for')).toBe("'script'")
    expect(headers['x-content-type-options']).toBe('nosniff')

    expect(policy.get('style-src')).toBe("'self'")
    expect(policy.get('img-src')).toBe("'self'")
    expect(text).not.toMatch(/<style|<[^>]*\s(on\w+|style)=|<img/i)
    expect(text.match(/<script|\ssrc=/g)).toHaveLength(2)
    const loaded = [
      ...text.matchAll(/<link rel="(stylesheet|icon)" href="([^"]+)"/g),
      ...text.matchAll(/<(script) type="module" src="([^"]+)"><\/script>/g),
    ]
    expect(loaded.map(([, kind, href]) => [kind, href!.split('.').at(-1)])).toEqual([
      ['stylesheet', 'css'],
      ['icon', 'svg'],
      ['script', 'js'],
    ])
    for (const [, , href] of loaded) {
      const asset = await request(api.url).get(href!)
      expect(asset.status).toBe(200)
      expect(asset.headers['cache-control']).toContain('immutable')
    }
  })
})

describe('/problems', () => {
  test.each(codes)('/problems/%s explains the code', async (code) => {
    const { text } = await open(`/problems/${code}`)
    const { status, title } = problemCatalog[code]
    expect(text).toContain(`<h1>${escaped(title)}</h1>`)
    expect(text).toContain(`<code>${code}</code>`)
    expect(text).toContain(`HTTP ${status}`)
  })

  test('lists every code of the public API', async () => {
    const { text } = await open('/problems')
    for (const code of codes) expect(text).toContain(`href="/problems/${code}"`)
  })

  test('404 not_found as a problem document for an unknown code', async () => {
    for (const code of ['nothing', 'constructor', '<script>', 'NOT_FOUND']) {
      const { status, body } = await request(api.url).get(`/problems/${encodeURIComponent(code)}`)
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'not_found' })
    }
  })

  test('escapes HTML in texts', async () => {
    const { text } = await open('/problems/authentication_required')
    expect(text).toContain('<code>Authorization: Bearer &lt;API_KEY></code>')
    expect(text).not.toContain('<API_KEY>')
  })
})

describe('/docs', () => {
  test('has four main sections', async () => {
    const { text } = await open('/docs')
    expect([...text.matchAll(/<h2 id="[\w-]+">([^<]+)<\/h2>/g)].map(([, name]) => name)).toEqual([
      'Quickstarts',
      'Receive webhooks',
      'Call the API',
      'Use the command line',
      'Run in CI',
      'How an event reaches you',
      'Downloads',
    ])
  })

  test('separates the name of a download from its description, in the search and as Markdown', async () => {
    const { text } = await request(api.url).get('/docs.md')
    expect(text).toContain('- [hctl.tgz](/downloads/hctl.tgz) The command line: `npm install')
    const found = await open('/docs/search?q=downloads')
    expect(found.text).toContain('hctl.tgz The command line')
  })

  test('numbers the steps in the Markdown', async () => {
    const { text } = await request(api.url).get('/docs.md')
    const [, steps] = /^## How an event reaches you$([^]*?)^## /m.exec(text)!
    expect(steps!.match(/^\S.*$/gm)).toEqual([
      '1. ### [Create an endpoint](/docs/api/webhooks.md#webhooks.create)',
      '2. ### [Verify the signature](/docs/webhooks.md#verify)',
      '3. ### [Return 2xx](/docs/webhooks.md#respond)',
    ])
  })

  test('does not say how long retries take, because the configuration decides it', async () => {
    const { text } = await open('/docs')
    expect(text).toContain('Everything else is retried')
    expect(text).not.toMatch(/\d+ hours/)
  })

  test('405 for a method other than GET', async () => {
    const { status, body, headers } = await request(api.url).post('/docs/webhooks')
    expect({ status, code: body.code }).toEqual({ status: 405, code: 'method_not_allowed' })
    expect(headers['allow']).toBe('GET, HEAD')
  })

  test('404 for a page that does not exist', async () => {
    const { status } = await request(api.url).get('/docs/quickstart/cobol')
    expect(status).toBe(404)
  })
})

const groupOf = (path: string): string => path.split('/')[1]!

/** The texts of the reference by group. */
async function openReference(): Promise<ReadonlyMap<string, string>> {
  const groups = [...new Set(publicRoutes.map(({ path }) => groupOf(path)))]
  const loaded = groups.map(async (group) => (await open(`/docs/api/${group}`)).text)
  return new Map((await Promise.all(loaded)).map((text, index) => [groups[index]!, text]))
}

describe('/docs/api', () => {
  test('lists every operation with its method and path, webhooks and keys first', async () => {
    const { text } = await open('/docs/api')
    for (const { operationId, path } of publicRoutes) {
      expect(text).toContain(`href="/docs/api/${groupOf(path)}#${operationId}"`)
      expect(text).toContain(`/api/v1${path.replace(/:(\w+)/g, '{$1}')}`)
    }
    const groups = [...text.matchAll(/<h2><a href="\/docs\/api\/([\w-]+)"/g)].map(
      ([, name]) => name,
    )
    expect(groups.slice(0, 4)).toEqual(['webhooks', 'webhook-deliveries', 'events', 'api-keys'])
    expect(new Set(groups)).toEqual(new Set(publicRoutes.map(({ path }) => groupOf(path))))
  })

  test('has a page per group, with every operation and its scope', async () => {
    const texts = await openReference()
    for (const { operationId, path } of publicRoutes) {
      expect(texts.get(groupOf(path))).toContain(`<h2 id="${operationId}">`)
    }
    expect(texts.get('webhooks')).toContain('<code>webhooks:write</code>')
    expect((await request(api.url).get('/docs/api/nothing')).status).toBe(404)
  })

  test('escapes HTML in texts', async () => {
    const { text } = await open('/docs/api/webhooks')
    expect(text).toContain('<code>&lt;resource>.*</code>')
    expect(text).not.toContain('<resource>')
  })

  const sectionOf = (text: string, operationId: string): string =>
    new RegExp(`<section aria-labelledby="${operationId}">[^]*?</section>`).exec(text)![0]

  test('shows examples, responses and problems for every operation', async () => {
    const texts = await openReference()
    for (const route of publicRoutes as unknown as readonly Route[]) {
      const section = sectionOf(texts.get(groupOf(route.path))!, route.operationId)
      for (const language of ['curl', 'TypeScript', 'Python']) {
        expect(section).toContain(`<summary>${language}</summary>`)
      }
      for (const code of problemsOf(route)) expect(section).toContain(`href="/problems/${code}"`)
      for (const { status } of route.returns) {
        expect(section).toContain(`<strong>${status}</strong>`)
      }
    }
    const section = unescaped(sectionOf(texts.get('webhooks')!, 'webhooks.create'))
    expect(section).toContain('API keys need the scope <code>webhooks:write</code>')
    expect(section).toContain('curl -X POST "$HCTL_URL/api/v1/webhooks"')
    expect(section).toContain("await client.POST('/webhooks', {")
    expect(section).toContain('client.webhooks.create(')
    expect(section).toContain('"secret": "whsec_…"')
  })

  test('has the operations of the group in the menu', async () => {
    const { text } = await open('/docs/api/webhooks')
    const [menu] = /<nav class="aside"[^]*?<\/nav>/.exec(text)!
    expect(menu).toContain('<a href="/docs/api/webhooks" aria-current="page">')
    expect(menu).toContain('href="#webhooks.create"')
    expect(menu).toContain('href="/docs/api/api-keys"')
  })

  test.each(['/problems', '/problems/not_found'])(
    'marks its place in the menu: %s',
    async (path) => {
      const [menu] = /<nav class="aside"[^]*?<\/nav>/.exec((await open(path)).text)!
      expect(menu).toContain('<a href="/docs/problems" aria-current="page">')
    },
  )
})

describe('the references', () => {
  test('every member has a type and a description', async () => {
    const texts = [
      ...(await openReference()).values(),
      (await request(api.internalUrl).get('/docs/internal-api')).text,
    ]
    for (const text of texts) {
      expect(text).not.toMatch(/data-label="(Type|Description)"[^>]*><div>[\s–]*<\/div>/)
    }
    const rows = texts.map((text) => [...text.matchAll(/<tr id|<tr role="row"><td/g)].length)
    expect(rows.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(500)
  })

  test('show the limits and the default of a member', async () => {
    const texts = await openReference()
    expect(texts.get('webhooks')).toContain('integer, 1 to 100, default 50')
    expect(texts.get('auth')).toContain('string, 12 to 256 characters')
  })
})

describe('the internal listener', () => {
  const get = (path: string) => request(api.internalUrl).get(path)

  test('GET /docs/internal-api shows every operation of the internal API without a token', async () => {
    const { status, text } = await get('/docs/internal-api')
    expect(status).toBe(200)
    for (const { operationId, path } of internalRoutes) {
      expect(text).toContain(`id="${operationId}"`)
      expect(text).toContain(`/internal/v1${path.replace(/:(\w+)/g, '{$1}')}`)
    }
    expect(unescaped(text)).toContain('"Authorization: Bearer $SERVICE_TOKEN"')
    for (const language of ['curl', 'TypeScript', 'Python']) {
      expect(text.split(`<summary>${language}</summary>`)).toHaveLength(internalRoutes.length + 1)
    }
    for (const [, link] of text.matchAll(/href="([^"]+)"/g)) {
      const [path, anchor] = link!.split('#')
      expect((await get(path || '/docs/internal-api')).status).toBe(200)
      expect([link, anchor === undefined || text.includes(`id="${anchor}"`)]).toEqual([link, true])
    }
  })

  test('GET /internal/v1/openapi.json describes every operation without a token', async () => {
    const { status, body } = await get('/internal/v1/openapi.json')
    expect(status).toBe(200)
    expect(body.openapi).toBe('3.1.0')
    expect(body.servers).toMatchObject([{ url: 'http://localhost/internal/v1' }])
    for (const { method, path } of internalRoutes) {
      const operation = body.paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()]
      expect(operation.security).toEqual([{ serviceToken: [] }])
    }
  })

  test('refuses other methods', async () => {
    expect((await request(api.internalUrl).post('/docs')).status).toBe(405)
  })
})
