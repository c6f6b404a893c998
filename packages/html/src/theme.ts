/** The color scheme that a person has chosen. Without one, pages follow the system. */
export type Theme = 'light' | 'dark'

/** The cookie with the chosen {@link Theme}. */
export const themeCookie = 'theme'

/** The chosen theme in a `Cookie` header; `undefined` if there is none. */
export function findTheme(header: string | undefined): Theme | undefined {
  const [, theme] = /(?:^|;)\s*theme=(light|dark)\s*(?:;|$)/.exec(header ?? '') ?? []
  return theme as Theme | undefined
}

const rootStart = Buffer.from('<html')

/**
 * Marks the root element of a rendered page with the theme, for the base styles. Pages that are rendered once for
 * everyone are marked per request, too.
 */
export function withTheme(page: Buffer, theme: Theme | undefined): Buffer {
  const root = page.indexOf(rootStart)
  if (theme === undefined || root < 0) return page
  const end = root + rootStart.length
  const mark = Buffer.from(` data-theme="${theme}"`)
  return Buffer.concat([page.subarray(0, end), mark, page.subarray(end)])
}
