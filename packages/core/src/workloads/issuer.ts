import { issuerLengthMax } from './limits.ts'

/**
 * Checks the URL of an issuer (OpenID Connect Discovery 1.0, section 2).
 *
 * @param options - `allowsHttp`: whether the installation allows `http:`.
 * @returns why it is refused, or `undefined` if it is allowed.
 */
export function checkIssuer(
  text: string,
  { allowsHttp }: { allowsHttp: boolean },
): string | undefined {
  if (text.length > issuerLengthMax) return `It must have at most ${issuerLengthMax} characters.`
  // URL drops or replaces them, but the issuer of a token is compared as it is.
  if (/[\s\p{C}\\]/u.test(text))
    return 'It must not contain white space, control characters or backslashes.'
  const url = URL.canParse(text) ? new URL(text) : undefined
  const schemes = allowsHttp ? ['https:', 'http:'] : ['https:']
  if (!url || !schemes.includes(url.protocol) || !/^https?:\/\/[^/]/.test(text)) {
    return allowsHttp ? 'It must be an https or http URL.' : 'It must be an https URL.'
  }
  if (url.username !== '' || url.password !== '') return 'It must not contain credentials.'
  if (text.includes('?') || text.includes('#')) return 'It must not have a query or a fragment.'
  return undefined
}

/**
 * The URL of an issuer's configuration (OpenID Connect Discovery 1.0, section 4).
 *
 * @param issuer - a URL that {@link checkIssuer} allows.
 */
export const configurationUrlOf = (issuer: string): string =>
  `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
