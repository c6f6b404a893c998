import { createHmac, hash, randomBytes } from 'node:crypto'
import { uuidSource } from '../ids/uuid-v7.ts'

/** The parts of a session token: `id` is public, `secret` exists only in the cookie. */
export interface SessionToken {
  /** A UUID. */
  readonly id: string
  /** 32 random bytes in base64url. */
  readonly secret: string
}

const secretBytes = 32
const cookiePattern = new RegExp(`^(${uuidSource})\\.([\\w-]{43})$`)

/** Creates a secret for a session. */
export const createSessionSecret = (id: string): SessionToken => ({
  id,
  secret: randomBytes(secretBytes).toString('base64url'),
})

/** The value of the cookie: `<id>.<secret>`. */
export const formatSessionToken = ({ id, secret }: SessionToken): string => `${id}.${secret}`

/** Parses the value of a cookie. Returns `undefined` if it is not a session token. */
export function parseSessionToken(text: string): SessionToken | undefined {
  const [, id, secret] = cookiePattern.exec(text) ?? []
  return id && secret ? { id, secret } : undefined
}

/**
 * The hash under which a session's secret is stored: SHA-256 of the server secret, the id and the secret, 32 bytes.
 * The secret has 256 random bits, so a slow hash is not needed.
 */
export const hashSessionSecret = (serverSecret: Buffer, { id, secret }: SessionToken): Buffer =>
  hash('sha256', `${serverSecret.toString('hex')}:session:v1:${id}:${secret}`, 'buffer')

/**
 * The CSRF token of a session, 43 characters of base64url. It is derived from the session's secret, so it changes
 * with the secret and is not stored. Computing it requires both the cookie and the server secret.
 */
export const csrfTokenOf = (serverSecret: Buffer, { id, secret }: SessionToken): string =>
  createHmac('sha256', serverSecret).update(`csrf:v1:${id}:${secret}`).digest('base64url')

/**
 * The name of the cookie. Over HTTPS, its prefix makes browsers require `Secure`, `Path=/` and no `Domain`
 * (RFC 6265bis, section 4.1.3.2).
 */
export const sessionCookieName = (isHttps: boolean): string =>
  isHttps ? '__Host-session' : 'session'

/** The `Set-Cookie` value that sets the session; without a token, it removes the cookie. */
export function sessionCookie(isHttps: boolean, token: SessionToken | undefined): string {
  const value = token ? formatSessionToken(token) : ''
  return [
    `${sessionCookieName(isHttps)}=${value}`,
    'Path=/',
    ...(isHttps ? ['Secure'] : []),
    'HttpOnly',
    'SameSite=Lax',
    ...(token ? [] : ['Max-Age=0']),
  ].join('; ')
}

/** Finds the session token in a `Cookie` header. */
export function findSessionToken(
  isHttps: boolean,
  header: string | undefined,
): SessionToken | undefined {
  const start = `${sessionCookieName(isHttps)}=`
  const cookie = header
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(start))
  return cookie === undefined ? undefined : parseSessionToken(cookie.slice(start.length))
}
