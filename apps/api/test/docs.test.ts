import { internalRoutes, problemsOf, publicRoutes, type Route } from '@hosting/api'
import { problemCatalog, type ProblemCode } from '@hosting/core/problems'
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

const codes = Object.keys(problemCatalog) as ProblemCode[]

/** Text as it appears in HTML. */
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** HTML as text, in which code can be searched. */
const unescaped = (html: string) =>
  html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

const pages = [
  '/docs',
  '/docs/api',
  '/docs/webhooks',
  '/docs/integrate',
  '/problems',
  '/problems/not_found',
]

describe('every page', () => {
  test.each(pages)('%s allows only its own style sheet and icon', async (path) => {
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
    expect(policy.has('script-src')).toBe(false)
    expect(headers['x-content-type-options']).toBe('nosniff')

    expect(policy.get('style-src')).toBe("'self'")
    expect(policy.get('img-src')).toBe("'self'")
    expect(text).not.toMatch(/<script|<style|<[^>]*\s(on\w+|style)=|<img|\ssrc=/i)
    const links = [...text.matchAll(/<link rel="(\w+)" href="([^"]+)"/g)]
    expect(links.map(([, rel, href]) => [rel, href!.split('.').at(-1)])).toEqual([
      ['stylesheet', 'css'],
      ['icon', 'svg'],
    ])
    for (const [, , href] of links) {
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

  test('lists every code', async () => {
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
  test('has three main sections', async () => {
    const { text } = await open('/docs')
    const ways = ['Receive webhooks', 'Call the API', 'Integrate the service']
    expect([...text.matchAll(/<h2 id="\w+">([^<]+)<\/h2>/g)].map(([, name]) => name)).toEqual([
      ...ways,
      'Specification',
      'Downloads',
    ])
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

describe('/docs/api', () => {
  test('lists every route with its method, path and scope', async () => {
    const { text } = await open('/docs/api')
    for (const { operationId, path } of publicRoutes) {
      expect(text).toContain(`id="${operationId}"`)
      expect(text).toContain(`/api/v1${path.replace(/:(\w+)/g, '{$1}')}`)
    }
    expect(text).toContain('<code>webhooks:write</code>')
  })

  test('escapes HTML in texts', async () => {
    const { text } = await open('/docs/api')
    expect(text).toContain('<code>&lt;resource>.*</code>')
    expect(text).not.toContain('<resource>')
  })

  const sectionOf = (text: string, operationId: string): string =>
    new RegExp(`<section aria-labelledby="${operationId}">[^]*?</section>`).exec(text)![0]

  test('shows examples, responses and problems for every operation', async () => {
    const { text } = await open('/docs/api')
    for (const route of publicRoutes as unknown as readonly Route[]) {
      const section = sectionOf(text, route.operationId)
      for (const language of ['curl', 'TypeScript', 'Python']) {
        expect(section).toContain(`<summary>${language}</summary>`)
      }
      for (const code of problemsOf(route)) expect(section).toContain(`href="/problems/${code}"`)
      for (const { status } of route.returns) {
        expect(section).toContain(`<strong>${status}</strong>`)
      }
    }
    const section = unescaped(sectionOf(text, 'webhooks.create'))
    expect(section).toContain('API keys need the scope <code>webhooks:write</code>')
    expect(section).toContain('curl -X POST "$HCTL_URL/api/v1/webhooks"')
    expect(section).toContain("await client.POST('/webhooks', {")
    expect(section).toContain('response = requests.post(')
    expect(section).toContain('"secret": "whsec_…"')
  })

  test('lists the operations by group beside the content', async () => {
    const { text } = await open('/docs/api')
    const sidebar = /<nav class="aside"[^]*?<\/nav>/.exec(text)![0]
    for (const { operationId } of publicRoutes) {
      expect(sidebar).toContain(`href="/docs/api#${operationId}"`)
    }
    const groups = [...sidebar.matchAll(/<summary>([^<]+)<\/summary>/g)].map(([, name]) => name)
    expect(groups).toEqual(expect.arrayContaining(['api-keys', 'webhooks', 'webhook-deliveries']))
  })

  test('search finds the operations that contain all words', async () => {
    const { text } = await open('/docs/api?q=ROTATE%20secret')
    expect(text).toContain('href="/docs/api#webhooks.rotate-secret"')
    const main = /<main[^]*<\/main>/.exec(text)![0]
    expect(main).not.toContain('#webhooks.list"')
    expect(main).toMatch(/\d+ operations? for “ROTATE secret”/)
    expect((await open('/docs/api?q=nothing-has-this')).text).toContain('0 operations')
  })

  test('search finds the operations that accept a member', async () => {
    const { text } = await open('/docs/api?q=disable_after_failing_hours')
    const main = /<main[^]*<\/main>/.exec(text)![0]
    const found = [...main.matchAll(/href="\/docs\/api#([\w.-]+)"/g)].map(([, id]) => id)
    expect(found).toEqual(['webhooks.create', 'webhooks.update'])
  })

  test('search escapes the query', async () => {
    const { text } = await open(`/docs/api?q=${encodeURIComponent('"><script>x</script>')}`)
    expect(text).not.toContain('<script>')
  })
})

describe('the references', () => {
  test.each(['/docs/api', 'internal'])(
    '%s: every member has a type and a description',
    async (path) => {
      const { text } =
        path === 'internal' ? await request(api.internalUrl).get('/docs') : await open(path)
      const rows = [...text.matchAll(/<tr id|<tr role="row"><td/g)]
      expect(rows.length).toBeGreaterThan(50)
      expect(text).not.toMatch(/data-label="(Type|Description)"[^>]*><div>[\s–]*<\/div>/)
    },
  )

  test('show the limits and the default of a member', async () => {
    const { text } = await open('/docs/api')
    expect(text).toContain('integer, 1 to 100, default 50')
    expect(text).toContain('string, 12 to 256 characters')
  })
})

describe('the internal listener', () => {
  const get = (path: string) => request(api.internalUrl).get(path)

  test('GET /docs shows every operation of the internal API without a token', async () => {
    const { status, text } = await get('/docs')
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
      expect((await get(path || '/docs')).status).toBe(200)
      expect([link, anchor === undefined || text.includes(`id="${anchor}"`)]).toEqual([link, true])
    }
  })

  test('GET /internal/v1/openapi.json describes every operation without a token', async () => {
    const { status, body } = await get('/internal/v1/openapi.json')
    expect(status).toBe(200)
    expect(body.openapi).toBe('3.1.0')
    expect(body.servers).toEqual([{ url: '/internal/v1' }])
    for (const { method, path } of internalRoutes) {
      const operation = body.paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()]
      expect(operation.security).toEqual([{ serviceToken: [] }])
    }
  })

  test('refuses other methods', async () => {
    expect((await request(api.internalUrl).post('/docs')).status).toBe(405)
  })
})
