import { pageHeaders } from '@hosting/process'
import type { Response } from 'express'

/** What a page may do, as its Content-Security-Policy says it. */
export interface PagePolicy {
  /** What it loads, a directive each; everything else is not loaded. */
  readonly loads: readonly string[]
  /** Where its forms lead. */
  readonly formAction: "'self'" | "'none'"
}

/** Sends a page. It does what its policy names; no other site frames it, and no script makes HTML (Trusted Types). */
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
  res.end(content)
}
