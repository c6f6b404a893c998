/** What a test reads of a page of the documentation. */
export interface Visited {
  readonly status: number
  readonly type: string
  readonly text: string
  readonly ids: ReadonlySet<string>
  readonly links: readonly string[]
}

/** The values of a pattern's group in a page. */
export const matchesOf = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, value]) => value!.replaceAll('&amp;', '&'))

async function visit(url: string): Promise<Visited> {
  // A download may redirect to the file of the current version.
  const redirect = url.includes('/downloads/') ? 'follow' : 'manual'
  const response = await fetch(url, { redirect })
  const type = response.headers.get('content-type') ?? ''
  const isText = /^text\/(html|markdown|plain)/.test(type)
  const text = isText ? await response.text() : ''
  await response.body?.cancel().catch(() => undefined)
  const html = type.startsWith('text/html') ? text : ''
  return {
    status: response.status,
    type,
    text,
    ids: new Set(matchesOf(html, /\sid="([^"]+)"/g)),
    links: [
      ...matchesOf(html, /<a\s[^>]*?href="([^"]+)"/g),
      // Of llms.txt.
      ...matchesOf(
        type.startsWith('text/plain') ? text : '',
        /\]\((?:https:\/\/[^/)]+)?(\/[^)]+)\)/g,
      ),
    ],
  }
}

/** Visits every page that can be reached by links from `/docs` and `/llms.txt`, except those of the panel. */
export async function crawlDocs(origin: string): Promise<ReadonlyMap<string, Visited>> {
  const visited = new Map<string, Visited>()
  const waiting = ['/docs', '/llms.txt']
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (visited.has(path)) continue
    const page = await visit(origin + path)
    visited.set(path, page)
    const paths = page.links
      .filter((link) => link.startsWith('/') && link !== '/')
      .map((link) => link.split('#')[0]!)
    waiting.push(...paths)
  }
  return visited
}
