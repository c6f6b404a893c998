import { Marked, type Tokens } from 'marked'
import { getHeadingList, gfmHeadingId } from 'marked-gfm-heading-id'
import { posix } from 'node:path'
import { linkedPaths, siteFiles, sitePages } from './pages.ts'

/** A document as HTML, with the headings of its second level. */
export interface RenderedPage {
  readonly title: string
  readonly html: string
  readonly contents: readonly { readonly id: string; readonly text: string }[]
}

/**
 * Renders a document with GitHub's anchors. Links to other documents lead to their pages; links to files that
 * the service does not show become plain text.
 *
 * @param source - the document's path from the repository's root.
 */
export function renderPage(source: string, markdown: string): RenderedPage {
  const marked = new Marked(gfmHeadingId(), {
    renderer: {
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        const target = resolveLink(source, href)
        return target === undefined ? text : `<a href="${target}">${text}</a>`
      },
      codespan({ text }) {
        const code = `<code>${escapeHtml(text)}</code>`
        return linkedPaths.has(text) ? `<a href="${text}">${code}</a>` : code
      },
      // A comment of the source is not for readers.
      html: ({ text }: Tokens.HTML | Tokens.Tag) => (/^\s*<!--/.test(text) ? '' : escapeHtml(text)),
    },
  })
  const html = scrollTables(marked.parse(withoutCodePaths(markdown)) as string)
  const headings = getHeadingList()
  return {
    title: toText(headings.find(({ level }) => level === 1)?.text ?? ''),
    html,
    contents: headings
      .filter(({ level }) => level === 2)
      .map(({ id, text }) => ({ id, text: toText(text) })),
  }
}

/** Where a link of a document leads on the site; `undefined` if the service does not have the target. */
export function resolveLink(source: string, href: string): string | undefined {
  if (/^(#|https?:|mailto:)/.test(href)) return href
  const [file = '', anchor] = href.split('#')
  const path = posix.join(posix.dirname(source), file)
  const url = sitePages.find((page) => page.source === path)?.url ?? siteFiles[path]
  if (url === undefined) return undefined
  return anchor === undefined ? url : `${url}#${anchor}`
}

/** A table that is wider than the screen scrolls separately, also with the keyboard. */
export const scrollTables = (html: string): string =>
  html
    .replaceAll(
      '<table>',
      '<div class="scroll" role="group" tabindex="0" aria-label="Table"><table>',
    )
    .replaceAll('</table>', '</table></div>')

/** The rules name the files that implement them, which readers of the service do not have. */
const withoutCodePaths = (markdown: string): string =>
  markdown.replaceAll(/^Code: `[^]*?(?=\n\n|$(?![^]))/gm, '')

const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

/** The text of a rendered heading. */
const toText = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
