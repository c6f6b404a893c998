import { pageHeaders } from '@hosting/process'
import type { Response } from 'express'
import { staticContent, type SendBody } from './static-content.ts'
import { findAppearance, withAppearance } from './appearance.ts'

/** What a page may do, for its Content-Security-Policy. */
export interface PagePolicy {
  /** The directives for what it may load. Everything else is blocked. */
  readonly loads: readonly string[]
  /** Where its forms may be submitted. */
  readonly formAction: "'self'" | "'none'"
}

/**
 * Sends a page with its policy, in the appearance that the person has chosen. No site may frame it, and no script may create HTML
 * (Trusted Types).
 */
export function sendPage(res: Response, content: string | Buffer, policy: PagePolicy): void {
  setPageHeaders(res, policy)
  const page = typeof content === 'string' ? Buffer.from(content) : content
  res.end(withAppearance(page, findAppearance(res.req.headers.cookie)))
}

/**
 * Sends a page as {@link sendPage} does, but compressed. Only for pages without secrets: the length of a compressed page
 * that repeats a part of the request reveals what else it contains (BREACH).
 */
export function sendPublicPage(res: Response, content: string, policy: PagePolicy): void {
  setPageHeaders(res, policy)
  staticContent(withAppearance(Buffer.from(content), findAppearance(res.req.headers.cookie)))(res)
}

/** A page that is the same for everyone with the same choices. It is rendered once for them, and sent compressed. */
export function staticPage(render: () => string, policy: PagePolicy): SendBody {
  const byChoices = new Map<string, SendBody>()
  return (res) => {
    const appearance = findAppearance(res.req.headers.cookie)
    const choices = JSON.stringify(appearance)
    const send =
      byChoices.get(choices) ?? staticContent(withAppearance(Buffer.from(render()), appearance))
    byChoices.set(choices, send)
    setPageHeaders(res, policy)
    send(res)
  }
}

function setPageHeaders(res: Response, { loads, formAction }: PagePolicy): void {
  const policy = [
    "default-src 'none'",
    "font-src 'self'",
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
