import { pageHeaders } from '@hosting/process'
import type { Response } from 'express'
import { findTheme, withTheme } from './theme.ts'

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
export function sendPage(
  res: Response,
  content: string | Buffer,
  { loads, formAction }: PagePolicy,
): void {
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
  const page = typeof content === 'string' ? Buffer.from(content) : content
  res.end(withTheme(page, findTheme(res.req.headers.cookie)))
}
