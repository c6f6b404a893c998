import { hash } from 'node:crypto'
import { isSameHash } from '../api-keys/token.ts'
import { Problem } from '../problems/problem.ts'

/** The header fields that say which site a request comes from. */
export interface RequestSource {
  readonly origin: string | undefined
  /** The header `Sec-Fetch-Site`. */
  readonly fetchSite: string | undefined
  readonly host: string | undefined
}

/**
 * Decides whether a write comes from another site (docs/specification/sign-in.md#csrf). Browsers report it in
 * `Sec-Fetch-Site`, older ones with a foreign `Origin`. A request with neither passes; it still needs the CSRF
 * token.
 *
 * @param publicUrl - the URL of the service for people; if `undefined`, the `Host` of the request is used.
 * @returns the problem `csrf_failed`, or `undefined`.
 */
export function decideSource(
  { origin, fetchSite, host }: RequestSource,
  publicUrl: string | undefined,
): Problem | undefined {
  if (fetchSite !== undefined && fetchSite !== 'same-origin') return new Problem('csrf_failed')
  // With the referrer policy `no-referrer`, a browser sends `null` even for the page's own origin.
  if (origin === undefined || (origin === 'null' && fetchSite !== undefined)) return undefined
  const own = publicUrl === undefined ? `http://${host}` : new URL(publicUrl).origin
  return origin === own ? undefined : new Problem('csrf_failed')
}

/**
 * Decides whether a request has the CSRF token of its session.
 *
 * @returns the problem `csrf_failed`, or `undefined`.
 */
export function decideCsrfToken(expected: string, shown: string | undefined): Problem | undefined {
  const [a, b] = [expected, shown ?? ''].map((text) => hash('sha256', text, 'buffer'))
  return isSameHash(a!, b!) ? undefined : new Problem('csrf_failed')
}
