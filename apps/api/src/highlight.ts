import { unescapeHtml } from '@hosting/html'
import type { HLJSApi, LanguageFn } from 'highlight.js'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** The languages of the documentation's code and of payloads, by the names that its blocks have. The image contains what is named here. */
const languages: Readonly<Record<string, () => unknown>> = {
  sh: () => require('highlight.js/lib/languages/bash'),
  ts: () => require('highlight.js/lib/languages/typescript'),
  python: () => require('highlight.js/lib/languages/python'),
  php: () => require('highlight.js/lib/languages/php'),
  go: () => require('highlight.js/lib/languages/go'),
  ruby: () => require('highlight.js/lib/languages/ruby'),
  json: () => require('highlight.js/lib/languages/json'),
  yaml: () => require('highlight.js/lib/languages/yaml'),
  http: () => require('highlight.js/lib/languages/http'),
  ini: () => require('highlight.js/lib/languages/ini'),
  sql: () => require('highlight.js/lib/languages/sql'),
}

const block = /(<pre><code class="language-(\w+)">)([^<]*)(?=<\/code>)/g

/**
 * Highlights the blocks of code of a page whose language is named. The style sheet has the colors. The text stays the
 * same, so it can be copied.
 */
export const highlightCode = (html: string): string =>
  html.replaceAll(block, (whole, start: string, language: string, code: string) =>
    language in languages ? start + highlight(unescapeHtml(code), language) : whole,
  )

/** Longer texts are not highlighted, in characters: it takes a millisecond for 10,000. */
const highlightedMax = 50_000

/** JSON as HTML with its parts colored. `undefined`: it is too long. */
export const highlightJson = (json: string): string | undefined =>
  json.length > highlightedMax ? undefined : highlight(json, 'json')

/** Loaded when a page is first requested: most processes never show one. */
let highlighter: HLJSApi | undefined

/** Leaves out what has no color, and the escapes that text does not need. */
function highlight(code: string, language: string): string {
  highlighter ??= loadHighlighter()
  const { value } = highlighter.highlight(code, { language, ignoreIllegals: true })
  return value
    .replaceAll(/<span class="h-punctuation">([^<]*)<\/span>/g, '$1')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
}

function loadHighlighter(): HLJSApi {
  const core = require('highlight.js/lib/core') as HLJSApi
  for (const [name, load] of Object.entries(languages)) {
    core.registerLanguage(name, load() as LanguageFn)
  }
  // Short names keep the pages small.
  core.configure({ classPrefix: 'h-' })
  return core
}
