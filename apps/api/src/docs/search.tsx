import { createTurns } from '@hosting/core/concurrency'
import { addressGroup } from '@hosting/core/network'
import { Problem } from '@hosting/core/problems'
import { sendPublicPage, unescapeHtml } from '@hosting/html'
import type { Request, RequestHandler } from 'express'
import { setImmediate } from 'node:timers/promises'
import type { Brand } from '../brand.ts'
import { policy, renderDocsPage, renderStatic, type DocsPage, type DocsSite } from './page.tsx'
import {
  createSearchIndex,
  searchedWords,
  wordLengthMin,
  wordsMax,
  type SearchEntry,
  type SearchIndex,
} from './search-index.ts'
import { queryLengthMax } from './sidebar.tsx'

/** How many characters of a text an excerpt shows, and how many of them before the first match. */
const excerptLength = 180
const excerptLead = 60

/**
 * The part of a text with the first of the words. It begins and ends between words, unless the match is in a word that
 * is too long.
 *
 * @param words - in lower case.
 */
export function excerptOf(text: string, words: readonly string[]): string {
  const { start, end } = findFirst(text.toLowerCase(), words)
  const from = startOf(text, start)
  const cut = text.slice(from, from + excerptLength)
  const isLast = from + excerptLength >= text.length
  const space = cut.lastIndexOf(' ')
  const shown = isLast || from + space < end ? cut : cut.slice(0, space)
  return `${from === 0 ? '' : '… '}${shown}${isLast ? '' : ' …'}`
}

/** Where the first match of a word is. */
function findFirst(text: string, words: readonly string[]): { start: number; end: number } {
  const [first = { start: 0, end: 0 }] = words
    .map((word) => ({ start: text.indexOf(word), end: text.indexOf(word) + word.length }))
    .filter(({ start }) => start >= 0)
    .toSorted((one, other) => one.start - other.start)
  return first
}

/** Where the excerpt begins: at a word before the match, or within the long word that has it. */
function startOf(text: string, match: number): number {
  const lead = match - excerptLead
  if (lead <= 0) return 0
  const space = text.indexOf(' ', lead)
  return space === -1 || space >= match ? lead : space + 1
}

const resultsMax = 50

/** The searches of an address take turns, and one after the other is served. */
const turnLimits = { perKey: 1, total: 1, waitingPerKey: 100, waitMs: 5_000 }

/**
 * `GET /docs/search?q=`: the parts of pages that contain every word.
 *
 * @param addressOf - the address of the client: anonymous requests take turns by it.
 */
export function serveSearch(
  site: DocsSite,
  brand: Brand,
  addressOf: (req: Request) => string,
): RequestHandler {
  const turns = createTurns(turnLimits)
  let index: Promise<SearchIndex> | undefined
  return async (req, res) => {
    const end = await turns.take(addressGroup(addressOf(req)))
    if (!end) throw tooManySearches()
    try {
      index ??= indexOf(site, brand)
      const given = [req.query['q']].flat()[0]
      const query = typeof given === 'string' ? given.slice(0, queryLengthMax).trim() : ''
      const search = { query, ...searchedWords(query) }
      const page = resultsPage(search, (await index).find(search.words))
      sendPublicPage(res, renderDocsPage(page, site, brand, { query }), policy)
      // Other requests are served between two searches.
      await setImmediate()
    } finally {
      end()
    }
  }
}

const tooManySearches = (): Problem =>
  new Problem('rate_limited', {
    detail: 'Too many concurrent searches from your address. Send fewer requests in parallel.',
    headers: { 'Retry-After': '1' },
  })

/** Renders page after page between other requests, because there are many. */
async function indexOf(site: DocsSite, brand: Brand): Promise<SearchIndex> {
  const entries: SearchEntry[] = []
  for (const page of site.pages) {
    entries.push(...entriesOf(page, renderStatic(page, site, brand)))
    await setImmediate()
  }
  return createSearchIndex(entries)
}

function entriesOf({ path, title }: DocsPage, html: string): SearchEntry[] {
  const main = html.slice(html.indexOf('<main'), html.indexOf('</main>'))
  return main.split(/(?=<h[2-4] id=")/).map((part, index) => {
    const [head = '', id, heading] = /^<h[2-4] id="([^"]+)"[^>]*>([^]*?)<\/h[2-4]>/.exec(part) ?? []
    const isWhole = index === 0 || id === undefined
    const name = isWhole ? title : textOf(heading!)
    const href = isWhole ? path : `${path}#${id}`
    return { href, title: name, page: title, text: textOf(part.slice(head.length)) }
  })
}

const textOf = (html: string): string =>
  unescapeHtml(
    html
      .replaceAll(/<(button|h1)\b[^]*?<\/\1>/g, ' ')
      .replaceAll(/<\/?(?:a|code|em|span|strong)\b[^>]*>/g, '')
      .replaceAll(/<[^>]*>/g, ' '),
  )
    .replaceAll(/\s+/g, ' ')
    .trim()

interface Search {
  readonly query: string
  /** The words of the query that were searched, in lower case. */
  readonly words: readonly string[]
  /** Whether the query has more words. */
  readonly isCut: boolean
}

const resultsPage = ({ query, words, isCut }: Search, found: readonly SearchEntry[]): DocsPage => ({
  path: '/docs/search',
  title: query === '' ? 'Search' : `Search: ${query}`,
  content: (
    <>
      <h1>Search</h1>
      {query !== '' && words.length === 0 && (
        <p role="status">Enter a word of at least {wordLengthMin} characters.</p>
      )}
      {words.length > 0 && (
        <p role="status">
          {found.length === 1 ? '1 result' : `${found.length} results`} for “{query}”
          {found.length > resultsMax && `; the first ${resultsMax} are shown`}
          {isCut && `. Only the first ${wordsMax} words were searched: ${words.join(' ')}`}
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
