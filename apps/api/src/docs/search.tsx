import { sendPublicPage } from '@hosting/html'
import type { RequestHandler } from 'express'
import { setImmediate } from 'node:timers/promises'
import type { Brand } from '../brand.ts'
import { excerptOf } from './excerpt.ts'
import { policy, renderDocsPage, renderStatic, type DocsPage, type DocsSite } from './page.tsx'
import { queryLengthMax } from './sidebar.tsx'

/** A page, or a part of it that begins with a heading. */
interface SearchEntry {
  readonly href: string
  readonly title: string
  readonly page: string
  readonly text: string
  /** The title and the text, in lower case. */
  readonly searched: string
}

const resultsMax = 50

/** `GET /docs/search?q=`: the parts of pages that contain every word. */
export function serveSearch(site: DocsSite, brand: Brand): RequestHandler {
  let index: Promise<readonly SearchEntry[]> | undefined
  return async (req, res) => {
    index ??= indexOf(site, brand)
    const given = [req.query['q']].flat()[0]
    const query = typeof given === 'string' ? given.slice(0, queryLengthMax).trim() : ''
    const words = query.toLowerCase().split(/\s+/).filter(Boolean)
    const page = resultsPage({ query, words }, findEntries(await index, words))
    sendPublicPage(res, renderDocsPage(page, site, brand, { query }), policy)
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
  return main.split(/(?=<h[2-4] id=")/).map((part, index) => {
    const [head = '', id, heading] = /^<h[2-4] id="([^"]+)"[^>]*>([^]*?)<\/h[2-4]>/.exec(part) ?? []
    const isWhole = index === 0 || id === undefined
    const name = isWhole ? title : textOf(heading!)
    const href = isWhole ? path : `${path}#${id}`
    const text = textOf(part.slice(head.length))
    return { href, title: name, page: title, text, searched: `${name} ${text}`.toLowerCase() }
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
    .replaceAll(/<(button|h1)\b[^]*?<\/\1>/g, ' ')
    .replaceAll(/<\/?(?:a|code|em|span|strong)\b[^>]*>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity]!)
    .replaceAll(/\s+/g, ' ')
    .trim()

/**
 * The entries that contain every word. Entries with every word in the title come first, then the others by number of
 * matches.
 */
function findEntries(
  entries: readonly SearchEntry[],
  words: readonly string[],
): readonly SearchEntry[] {
  if (words.length === 0) return []
  const containsAll = (text: string) => words.every((word) => text.includes(word))
  const rankOf = ({ title, searched }: SearchEntry): number =>
    containsAll(title.toLowerCase())
      ? Number.POSITIVE_INFINITY
      : words.reduce((count, word) => count + searched.split(word).length - 1, 0)
  return entries
    .filter(({ searched }) => containsAll(searched))
    .map((entry) => ({ entry, rank: rankOf(entry) }))
    .toSorted((one, other) => (one.rank === other.rank ? 0 : other.rank - one.rank))
    .map(({ entry }) => entry)
}

interface Search {
  readonly query: string
  /** The words of the query, in lower case. */
  readonly words: readonly string[]
}

const resultsPage = ({ query, words }: Search, found: readonly SearchEntry[]): DocsPage => ({
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
        {found.slice(0, resultsMax).map(({ href, title, page, text }) => (
          <li key={href}>
            <a class="standalone" href={href}>
              {title}
            </a>
            {page !== title && <span class="quiet small">{page}</span>}
            <p>
              <Marked text={excerptOf(text, words)} words={words} />
            </p>
          </li>
        ))}
      </ul>
    </>
  ),
})

/** A text in which the words are marked. */
function Marked({ text, words }: { text: string; words: readonly string[] }) {
  const pattern = words.map((word) => word.replaceAll(/[^\p{L}\p{N}]/gu, String.raw`\$&`)).join('|')
  return (
    <>
      {text
        .split(new RegExp(`(${pattern})`, 'i'))
        .map((piece, index) => (index % 2 === 1 ? <mark key={index}>{piece}</mark> : piece))}
    </>
  )
}
