import { beforeAll, describe, expect, test } from '@jest/globals'
import { eventTypes } from '@hosting/core/webhooks'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { once } from 'node:events'
import { get, type IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { useApi } from '../support/api.ts'
import { crawlDocs, matchesOf, type Visited } from './crawl.ts'

const publicUrl = 'https://control.test.example'
const api = useApi({ PUBLIC_URL: publicUrl })
let visited: ReadonlyMap<string, Visited>

beforeAll(async () => {
  visited = await crawlDocs(api.url)
})

/** The response as it is on the wire. */
async function read(path: string, headers: Record<string, string> = {}) {
  const request = get(api.url + path, { headers })
  const [response] = (await once(request, 'response')) as [
    NodeJS.ReadableStream & { headers: IncomingHttpHeaders },
  ]
  return { headers: response.headers, body: await buffer(response) }
}

const decoders = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
}

describe('HTTP responses of pages', () => {
  test('are compressed for clients that accept it', async () => {
    const paths = ['/docs', '/docs/api/webhooks', '/docs/cli.md', '/llms.txt', '/docs/events']
    const others = ['/docs/quickstart/curl', '/docs/search?q=webhook', '/api/v1/openapi.json']
    for (const path of [...paths, ...others]) {
      const plain = await read(path)
      expect(plain.headers['content-encoding']).toBeUndefined()
      expect(plain.headers['vary']).toContain('Accept-Encoding')
      for (const [encoding, decode] of Object.entries(decoders)) {
        for (const time of ['first', 'repeated']) {
          const { headers, body } = await read(path, { 'accept-encoding': encoding })
          expect([path, time, headers['content-encoding']]).toEqual([path, time, encoding])
          expect(headers['vary']).toContain('Accept-Encoding')
          expect(decode(body).equals(plain.body)).toBe(true)
          expect(body.length).toBeLessThan(plain.body.length / 2)
        }
      }
    }
  })

  test('are not compressed for clients that refuse it', async () => {
    const { headers } = await read('/docs', { 'accept-encoding': 'br;q=0, gzip;q=0' })
    expect(headers['content-encoding']).toBeUndefined()
  })

  test('are compressed in each theme', async () => {
    const headers = { cookie: 'theme=dark', 'accept-encoding': 'br' }
    const bodies = [await read('/docs', headers), await read('/docs', headers)]
    for (const { body } of bodies) {
      expect(brotliDecompressSync(body).toString()).toContain('<html data-theme="dark"')
    }
    expect((await read('/docs')).body.toString()).not.toContain('data-theme')
  })

  test('are at most 300 kB without compression', () => {
    const large = [...visited].filter(([, { text }]) => Buffer.byteLength(text) > 300_000)
    expect(large.map(([path, { text }]) => `${path}: ${Buffer.byteLength(text)}`)).toEqual([])
  })

  test('have a copy button for every block of code', () => {
    let blocks = 0
    for (const { text } of visited.values()) {
      if (!text.startsWith('<!doctype html>')) continue
      const codes = text.match(/<pre[ >]/g)?.length ?? 0
      expect(matchesOf(text, /<\/pre>(<button type="button" class="copy")/g)).toHaveLength(codes)
      blocks += codes
    }
    expect(blocks).toBeGreaterThan(300)
  })
})

describe('the event types', () => {
  test('/docs/events has every type with its schema and an example', () => {
    const { text } = visited.get('/docs/events')!
    for (const [type, { schema, reserved }] of eventTypes) {
      const [section] = new RegExp(`<section aria-labelledby="${type}">[^]*?</section>`).exec(text)!
      for (const name of Object.keys(schema.properties)) {
        expect(section).toContain(`<code>data.${name}</code>`)
      }
      expect(section).toContain('JSON Schema')
      expect(section.includes('Example')).toBe(!reserved)
    }
  })

  test('the OpenAPI document describes each type as a callback with a valid example', async () => {
    const { body } = await read('/api/v1/openapi.json')
    const { openapi, paths, components } = JSON.parse(body.toString()) as {
      openapi: string
      paths: Record<
        string,
        { post: { callbacks: Record<string, Record<string, { post: Webhook }>> } }
      >
      components: object
    }
    expect(openapi).toMatch(/^3\.1\./)
    const { callbacks } = paths['/webhooks']!.post
    expect(Object.keys(callbacks)).toEqual([...eventTypes.keys()])
    const ajv = addFormats.default(new Ajv2020({ strict: true }))
    // Of OpenAPI, and of generators of clients. All other keywords are those of JSON Schema.
    ajv.addVocabulary(['components', 'x-extensible-enum'])
    for (const [type, { '{$request.body#/url}': callback }] of Object.entries(callbacks)) {
      const { post } = callback!
      const { schema, example } = post.requestBody.content['application/json']
      const isValid = ajv.compile({ ...schema, components })
      const { reserved } = eventTypes.get(type)!
      expect([type, example === undefined]).toEqual([type, reserved])
      expect([type, reserved || isValid(example)]).toEqual([type, true])
      expect(isValid({ ...example, type: 'other.type' })).toBe(false)
      expect(post.responses).toHaveProperty('2XX')
    }
  })

  interface Webhook {
    readonly requestBody: {
      readonly content: { 'application/json': { schema: object; example?: object } }
    }
    readonly responses: object
  }
})

describe('the changelog', () => {
  test('has an Atom feed with an entry for each heading', async () => {
    const page = visited.get('/docs/changelog')!
    expect(page.text).toContain('type="application/atom+xml"')
    const { headers, body } = await read('/docs/changelog.atom')
    expect(headers['content-type']).toBe('application/atom+xml; charset=utf-8')
    const feed = body.toString()
    const ids = matchesOf(page.text, /<h2 id="([^"]+)"/g)
    expect(ids.length).toBeGreaterThan(3)
    const url = `${publicUrl}/docs/changelog`
    expect(matchesOf(feed, /<id>([^<]+)<\/id>/g)).toEqual([url, ...ids.map((id) => `${url}#${id}`)])
    const [updated, ...entries] = matchesOf(feed, /<updated>([^<]+)<\/updated>/g)
    expect(entries).toHaveLength(ids.length)
    expect(updated).toBe(entries.toSorted().at(-1))
    expect(feed).not.toMatch(/href=&quot;\//)
  })
})

describe('the search', () => {
  const search = async (query: string) => {
    const { body } = await read(`/docs/search?q=${encodeURIComponent(query)}`)
    const [main] = /<main[^]*<\/main>/.exec(body.toString())!
    return { main, links: matchesOf(main, /<li><a class="standalone" href="([^"]+)"/g) }
  }

  test.each([
    ['a page', 'exit code', '/docs/cli#confirmation-and-exit-codes'],
    ['an operation', 'ROTATE signing secret', '/docs/api/webhooks#webhooks.rotate-secret'],
    [
      'an operation by a member',
      'disable_after_failing_hours',
      '/docs/api/webhooks#webhooks.create',
    ],
    ['a problem', 'insufficient_scope', '/problems/insufficient_scope'],
    ['an event type', 'dns.zone_created', '/docs/events#dns.zone_created'],
  ])('finds %s', async (_kind, query, href) => {
    expect((await search(query)).links).toContain(href)
  })

  test('shows the number of results, and lists matching names first', async () => {
    const { main, links } = await search('site.created')
    expect(main).toMatch(/\d+ results? for “site\.created”/)
    expect(links[0]).toBe('/docs/events#site.created')
    expect((await search('nothing-has-this')).main).toContain('0 results')
    expect((await search('')).links).toEqual([])
  })

  test('shows what matches, with the words marked, and no heading or label of a button', async () => {
    const { main } = await search('Constant TIME')
    expect(main).toMatch(/<p>[^<]*(?:<mark>[^<]+<\/mark>[^<]*)+<\/p>/)
    expect(main).toMatch(/<mark>constant<\/mark>/i)
    expect((await search('keyed with the whole signing secret')).main).toMatch(/body>, <mark>/)
    const { main: code } = await search('hctl_url curl')
    expect(code).not.toMatch(/Copy(?: …)?<\/p>/)
  })

  test('lists the parts that have the words more often before the others', async () => {
    const { links } = await search('signature')
    expect(links[0]).toBe('/docs/specification/webhooks#signature')
    const [verify, start] = ['/docs/webhooks#verify', '/docs#steps'].map((each) =>
      links.indexOf(each),
    )
    expect(verify).toBeGreaterThan(0)
    expect(start).toBeGreaterThan(verify!)
  })

  test.each(['(', '[a', String.raw`a\b`, '-', '日本', '😀 $&'])(
    'accepts the query %j',
    async (query) => {
      const response = await fetch(`${api.url}/docs/search?q=${encodeURIComponent(query)}`)
      expect(response.status).toBe(200)
    },
  )

  test('escapes the query, even in its input field', async () => {
    const { body } = await read(`/docs/search?q=${encodeURIComponent('"><script>x</script>')}`)
    expect(body.toString()).not.toContain('<script>x')
  })
})
