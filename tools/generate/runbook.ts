import { Marked } from 'marked'
import { getHeadingList, gfmHeadingId } from 'marked-gfm-heading-id'
import { readFileSync } from 'node:fs'
import { root } from '../run.ts'
import { scrollTables } from '../site/render-page.ts'

const notice = '<!-- Made by `npm run generate` from docs/operations.md. -->'

/**
 * packages/html/assets/runbook.html: the page that both services serve at `/operations/runbook`, with GitHub's anchors.
 * Links to other files of the repository become plain text, because the worker does not serve these files.
 */
export function runbookHtml(): string {
  const marked = new Marked(gfmHeadingId(), {
    renderer: {
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        return /^(#|\/|https?:)/.test(href) ? `<a href="${href}">${text}</a>` : text
      },
    },
  })
  const html = marked.parse(readFileSync(`${root}docs/operations.md`, 'utf8')) as string
  const withContents = scrollTables(html).replace('</h1>\n', `</h1>\n${contents()}`)
  return `${notice}\n<article>\n${withContents}</article>\n`
}

const contents = (): string => {
  const items = getHeadingList()
    .filter(({ level }) => level === 2)
    .map(({ id, text }) => `<li><a href="#${id}">${text}</a></li>\n`)
  return `<nav class="contents" aria-label="Contents">\n<ol>\n${items.join('')}</ol>\n</nav>\n`
}
