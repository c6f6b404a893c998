// Functions to read server-rendered pages in tests.

/** The text of an HTML fragment. */
export const textOf = (html: string): string =>
  html
    .replaceAll(/<(script|style)\b.*?<\/\1>/gs, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** The cells of a table's rows, as text. */
export function rowsOf(html: string, caption: string): string[][] {
  const [, after] = html.split(`>${caption}</caption>`)
  if (after === undefined) return []
  const body = after.slice(after.indexOf('<tbody'), after.indexOf('</tbody>'))
  return [...body.matchAll(/<tr\b.*?<\/tr>/gs)].map(([row]) =>
    [...row.matchAll(/<td\b.*?<\/td>/gs)].map(([cell]) => textOf(cell)),
  )
}

/** The section with this title, as text. */
export function sectionOf(html: string, title: string): string {
  const [, after = ''] = html.split(`<section class="card" aria-label="${title}">`)
  return textOf(after.slice(0, after.indexOf('</section>')))
}
