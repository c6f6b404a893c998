/** The color scheme that a person has chosen. Without one, pages follow the system. */
export type Theme = 'light' | 'dark'

/** The height of the rows of lists that a person has chosen. */
export type Density = 'comfortable' | 'compact'

/** The zone of the times that pages show. */
type Times = 'local' | 'utc'

/** What a person has chosen about the appearance of all pages. */
export interface Appearance {
  readonly theme: Theme | undefined
  readonly density: Density
  readonly times: Times
}

/** The cookies with the choices. */
export const appearanceCookies = { theme: 'theme', density: 'density', times: 'times' } as const

/** The choices in a `Cookie` header. */
export function findAppearance(header: string | undefined): Appearance {
  const cookies = header ?? ''
  const [, theme] = /(?:^|;)\s*theme=(light|dark)\s*(?:;|$)/.exec(cookies) ?? []
  const isCompact = /(?:^|;)\s*density=compact\s*(?:;|$)/.test(cookies)
  const isUtc = /(?:^|;)\s*times=utc\s*(?:;|$)/.test(cookies)
  return {
    theme: theme as Theme | undefined,
    density: isCompact ? 'compact' : 'comfortable',
    times: isUtc ? 'utc' : 'local',
  }
}

const rootStart = Buffer.from('<html')

/**
 * Marks the root element of a rendered page with the choices that are not the default, for styles and scripts. Pages that
 * are rendered once for everyone are marked per request, too.
 */
export function withAppearance(page: Buffer, { theme, density, times }: Appearance): Buffer {
  const mark = [
    theme === undefined ? '' : ` data-theme="${theme}"`,
    density === 'comfortable' ? '' : ` data-density="${density}"`,
    times === 'local' ? '' : ` data-times="${times}"`,
  ].join('')
  const root = page.indexOf(rootStart)
  if (mark === '' || root < 0) return page
  const end = root + rootStart.length
  return Buffer.concat([page.subarray(0, end), Buffer.from(mark), page.subarray(end)])
}
