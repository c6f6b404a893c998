import { pageHeaders } from '@hosting/process'
import type { Response } from 'express'
import { staticContent, type SendBody } from './static-content.ts'
import { findTheme, withTheme, type Theme } from './theme.ts'

/** What a page may do, for its Content-Security-Policy. */
export interface PagePolicy {
  /** The directives for what it may load. Everything else is blocked. */
  readonly loads: readonly string[]
  /** Where its forms may be submitted. */
  readonly formAction: "'self'" | "'none'"
}

/**
 * Sends a page with its policy, in the theme of the request. No site may frame it, and no script may create HTML
 * (Trusted Types).
 */
export function sendPage(res: Response, content: string | Buffer, policy: PagePolicy): void {
  setPageHeaders(res, policy)
  const page = typeof content === 'string' ? Buffer.from(content) : content
  res.end(withTheme(page, findTheme(res.req.headers.cookie)))
}

/** A page that is the same for everyone in a theme. It is rendered once per theme, and sent compressed. */
export function staticPage(render: () => string, policy: PagePolicy): SendBody {
  const byTheme = new Map<Theme | undefined, SendBody>()
  return (res) => {
    const theme = findTheme(res.req.headers.cookie)
    const send = byTheme.get(theme) ?? staticContent(withTheme(Buffer.from(render()), theme))
    byTheme.set(theme, send)
    setPageHeaders(res, policy)
    send(res)
  }
}

function setPageHeaders(res: Response, { loads, formAction }: PagePolicy): void {
  const policy = [
    "default-src 'none'",
    ...loads,
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]
  for (const [name, value] of pageHeaders) res.setHeader(name, value)
  res.setHeader('Content-Type', 'text/html; charset=utf-8')
  res.setHeader('Content-Security-Policy', policy.join('; '))
}
