import { sendPage } from '@hosting/html'
import type { RequestHandler } from 'express'
import { setImmediate } from 'node:timers/promises'
import type { Brand } from '../brand.ts'
import { policy, renderDocsPage, renderStatic, type DocsPage, type DocsSite } from './page.tsx'
import { queryLengthMax } from './sidebar.tsx'

/** A page, or a part of it that begins with a heading. */
interface SearchEntry {
  readonly href: string
  readonly title: string
  readonly page: string
  /** The title and the text, in lower case. */
  readonly text: string
}

const resultsMax = 50

/** `GET /docs/search?q=`: the parts of pages that contain every word. */
export function serveSearch(site: DocsSite, brand: Brand): RequestHandler {
  let index: Promise<readonly SearchEntry[]> | undefined
  return async (req, res) => {
    index ??= indexOf(site, brand)
    const given = [req.query['q']].flat()[0]
    const query = typeof given === 'string' ? given.slice(0, queryLengthMax).trim() : ''
    const page = resultsPage(query, findEntries(await index, query))
    sendPage(res, renderDocsPage(page, site, brand, { query }), policy)
  }
}

/** Renders page after page between other requests, because there are many. */
async function indexOf(site: DocsSite, brand: Brand): Promise<readonly SearchEntry[]> {
  const entries: SearchEntry[] = []
  for (const page of site.pages) {
    entries.push(...entriesOf(page, renderStatic(page, site, brand)))
    await setImmediate()
  }
  return entries
}

function entriesOf({ path, title }: DocsPage, html: string): SearchEntry[] {
  const main = html.slice(html.indexOf('<main'), html.indexOf('</main>'))
  return main.split(/(?=<h[23] id=")/).map((part, index) => {
    const [, id, heading] = /^<h[23] id="([^"]+)"[^>]*>([^]*?)<\/h[23]>/.exec(part) ?? []
    const isWhole = index === 0 || id === undefined
    const name = isWhole ? title : textOf(heading!)
    const href = isWhole ? path : `${path}#${id}`
    return { href, title: name, page: title, text: `${name} ${textOf(part)}`.toLowerCase() }
  })
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
}

const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity]!)
    .replaceAll(/\s+/g, ' ')
    .trim()

/** The entries that contain every word; those with all words in their title first. */
function findEntries(entries: readonly SearchEntry[], query: string): readonly SearchEntry[] {
  if (query === '') return []
  const words = query.toLowerCase().split(/\s+/)
  const containsAll = (text: string) => words.every((word) => text.includes(word))
  const found = entries.filter(({ text }) => containsAll(text))
  const inTitle = (entry: SearchEntry) => (containsAll(entry.title.toLowerCase()) ? 0 : 1)
  return found.toSorted((one, other) => inTitle(one) - inTitle(other))
}

const resultsPage = (query: string, found: readonly SearchEntry[]): DocsPage => ({
  path: '/docs/search',
  title: query === '' ? 'Search' : `Search: ${query}`,
  content: (
    <>
      <h1>Search</h1>
      {query !== '' && (
        <p role="status">
          {found.length === 1 ? '1 result' : `${found.length} results`} for “{query}”
          {found.length > resultsMax && `; the first ${resultsMax} are shown`}
        </p>
      )}
      <ul class="results">
        {found.slice(0, resultsMax).map(({ href, title, page }) => (
          <li key={href}>
            <a class="standalone" href={href}>
              {title}
            </a>
            {page !== title && <span class="quiet"> {page}</span>}
          </li>
        ))}
      </ul>
    </>
  ),
})
