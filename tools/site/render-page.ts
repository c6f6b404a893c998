import { Marked, type Tokens } from 'marked'
import { getHeadingList, gfmHeadingId } from 'marked-gfm-heading-id'
import { posix } from 'node:path'
import { linkedPaths, sitePages, urlOf, type Audience } from './pages.ts'

/** A document as HTML and as Markdown, with the headings of its second level. */
export interface RenderedPage {
  readonly title: string
  readonly html: string
  readonly markdown: string
  readonly contents: readonly { readonly id: string; readonly text: string }[]
}

/** A document of the repository, and who reads it. */
export interface SiteDocument {
  /** The document's path from the repository's root. */
  readonly source: string
  readonly audience: Audience
}

/**
 * Renders a document with GitHub's anchors. Links to other documents lead to their pages; links to files that
 * the audience's port does not show become plain text.
 */
export function renderPage(document: SiteDocument, text: string): RenderedPage {
  const markdown = textFor(document.audience, text)
  const marked = new Marked(gfmHeadingId(), {
    renderer: {
      link({ href, tokens }) {
        const content = this.parser.parseInline(tokens)
        const target = resolveLink(document, href)
        return target === undefined ? content : `<a href="${target}">${content}</a>`
      },
      codespan({ text: name }) {
        const code = `<code>${escapeHtml(name)}</code>`
        return linkedPaths[document.audience].has(name) ? `<a href="${name}">${code}</a>` : code
      },
      // A comment of the source is not for readers.
      html: ({ text: raw }: Tokens.HTML | Tokens.Tag) =>
        /^\s*<!--/.test(raw) ? '' : escapeHtml(raw),
    },
  })
  const html = scrollTables(marked.parse(markdown) as string)
  const headings = getHeadingList()
  return {
    title: toText(headings.find(({ level }) => level === 1)?.text ?? ''),
    html,
    markdown: linkMarkdown(document, markdown),
    contents: headings
      .filter(({ level }) => level === 2)
      .map(({ id, text: heading }) => ({ id, text: toText(heading) })),
  }
}

/** Where a link of a document leads on the site; `undefined` if the port does not have the target. */
export function resolveLink({ source, audience }: SiteDocument, href: string): string | undefined {
  if (/^(#|https?:|mailto:)/.test(href)) return href
  const [file = '', anchor] = href.split('#')
  const url = urlOf(posix.join(posix.dirname(source), file), audience)
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
    .replaceAll(cellWithText, (cell) => cell.replaceAll('<a href', '<a class="in-text" href'))

/** A cell that is not only a link. */
const cellWithText = /<td>(?!<a href[^>]*>(?:(?!<\/a>)[^])*<\/a><\/td>)[^]*?<\/td>/g

/** A block of code, which is not changed. */
const fence = /(^```[^]*?^```$)/m

/**
 * The text for an audience. What is between `<!-- platform -->` and `<!-- /platform -->`, and each row of a table that
 * ends with `<!-- platform -->`, is for the platform. The rules name the files that implement them, which readers of
 * the service do not have.
 */
function textFor(audience: Audience, markdown: string): string {
  const text = markdown
    .replaceAll(/^<!-- (?:Made by|embed) .*-->\n+/gm, '')
    .replaceAll(/<!-- (?:value [\w-]+|\/value) -->/g, '')
    .replaceAll(/^Code: `[^]*?(?=\n\n|$(?![^]))/gm, '')
  if (audience === 'platform') return text.replaceAll(/ *<!-- \/?platform -->/g, '')
  return text
    .replaceAll(/^\|.*<!-- platform --> *\|\n/gm, '')
    .replaceAll(/\s*<!-- platform -->[^]*?<!-- \/platform -->/g, '')
}

/** Markdown whose links lead to the Markdown of other pages. */
function linkMarkdown(document: SiteDocument, markdown: string): string {
  const pages = new Set(sitePages[document.audience].map(({ url }) => url))
  return markdown
    .split(fence)
    .map((part) => {
      if (part.startsWith('```')) return part
      return part.replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_link, text: string, href: string) => {
        const target = resolveLink(document, href)
        if (target === undefined) return text
        const [path, anchor] = target.split('#')
        const markdownPath = pages.has(path!) ? `${path}.md` : path
        return `[${text}](${markdownPath}${anchor === undefined ? '' : `#${anchor}`})`
      })
    })
    .join('')
}

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
