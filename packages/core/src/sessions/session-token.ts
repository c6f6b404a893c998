import { createHmac, hash, randomBytes } from 'node:crypto'

/** The secret of a session in its parts: `id` is public, `secret` stands in the cookie alone. */
export interface SessionToken {
  /** A UUID. */
  readonly id: string
  /** 32 random bytes in base64url. */
  readonly secret: string
}

const secretBytes = 32
const cookiePattern =
  /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.([\w-]{43})$/

/** Mints a new secret for a session. */
export const createSessionSecret = (id: string): SessionToken => ({
  id,
  secret: randomBytes(secretBytes).toString('base64url'),
})

/** What the cookie holds: `<id>.<secret>`. */
export const formatSessionToken = ({ id, secret }: SessionToken): string => `${id}.${secret}`

/** Reads what a cookie holds; gives `undefined` for anything that is no session's. */
export function parseSessionToken(text: string): SessionToken | undefined {
  const [, id, secret] = cookiePattern.exec(text) ?? []
  return id && secret ? { id, secret } : undefined
}

/**
 * The hash under which a session's secret is stored: SHA-256 over the server secret, the id and the
 * secret. It has 256 random bits, so nothing slower is called for. 32 bytes.
 */
export const hashSessionSecret = (serverSecret: Buffer, { id, secret }: SessionToken): Buffer =>
  hash('sha256', `${serverSecret.toString('hex')}:session:v1:${id}:${secret}`, 'buffer')

/**
 * The CSRF token of a session: made from its secret, so that it changes with it, nothing of it is stored,
 * and nobody makes it who has not the cookie and the server secret. 43 characters of base64url.
 */
export const csrfTokenOf = (serverSecret: Buffer, { id, secret }: SessionToken): string =>
  createHmac('sha256', serverSecret).update(`csrf:v1:${id}:${secret}`).digest('base64url')

/**
 * The cookie's name. Where people reach the service by https, its prefix makes browsers insist on `Secure`,
 * `Path=/` and no `Domain` (RFC 6265bis, section 4.1.3.2).
 */
export const sessionCookieName = (isHttps: boolean): string =>
  isHttps ? '__Host-session' : 'session'

/** The value of `Set-Cookie` that gives a browser its session; without a token, that takes it away. */
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

/** The session's token in a `Cookie` header, if there is one. */
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
