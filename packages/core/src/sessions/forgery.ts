import { hash } from 'node:crypto'
import { isSameHash } from '../api-keys/token.ts'
import { Problem } from '../problems.ts'

/** What a request says of where it comes from. */
export interface RequestSource {
  readonly origin: string | undefined
  /** The header `Sec-Fetch-Site`. */
  readonly fetchSite: string | undefined
  readonly host: string | undefined
}

/**
 * Decides whether a request that changes something comes from another site
 * (docs/specification/sign-in.md#csrf): a browser says so by `Sec-Fetch-Site`, older ones by a foreign
 * `Origin`. A program that sends neither is let through; it needs the CSRF token all the same.
 *
 * @param publicUrl - where people reach the service; without one, the `Host` they asked for.
 * @returns the refusal, `csrf_failed`, or `undefined`.
 */
export function decideSource(
  { origin, fetchSite, host }: RequestSource,
  publicUrl: string | undefined,
): Problem | undefined {
  if (fetchSite !== undefined && fetchSite !== 'same-origin') return new Problem('csrf_failed')
  // Under the policy `no-referrer`, a browser hides the origin even from the page's own.
  if (origin === undefined || (origin === 'null' && fetchSite !== undefined)) return undefined
  const own = publicUrl === undefined ? `http://${host}` : new URL(publicUrl).origin
  return origin === own ? undefined : new Problem('csrf_failed')
}

/**
 * Decides whether a request shows the CSRF token of its session.
 *
 * @returns the refusal, `csrf_failed`, or `undefined`.
 */
export function decideCsrfToken(expected: string, shown: string | undefined): Problem | undefined {
  const [a, b] = [expected, shown ?? ''].map((text) => hash('sha256', text, 'buffer'))
  return isSameHash(a!, b!) ? undefined : new Problem('csrf_failed')
}
