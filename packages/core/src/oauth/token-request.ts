import { isScope, type Scope } from '../scopes/scopes.ts'

/** The client of a request, or why it is refused. Without an `id`, the request names none. */
export type OAuthClient =
  | { readonly id: string | undefined }
  | { readonly error: 'invalid_client' | 'invalid_request' }

/**
 * Reads the public client of a request (RFC 6749, section 2.3). Clients are not registered and have no secrets. The
 * request names the client in its body, as the user of `Authorization: Basic` with an empty password, or in both if
 * they are equal. Other schemes are ignored.
 *
 * @param authorization - the `Authorization` header.
 * @param bodyId - `client_id` of the body.
 */
export function readOAuthClient(
  authorization: string | undefined,
  bodyId: string | undefined,
): OAuthClient {
  const encoded = /^basic(?=[ \t]|$)(.*)$/i.exec(authorization ?? '')?.[1]
  if (encoded === undefined) return { id: bodyId }
  const user = readUser(encoded.trim())
  if (user === undefined) return { error: 'invalid_client' }
  const headerId = user === '' ? undefined : formDecoded(user)
  if (bodyId === undefined || headerId === undefined) return { id: bodyId ?? headerId }
  return bodyId === headerId || bodyId === user ? { id: bodyId } : { error: 'invalid_request' }
}

/** The user of Basic credentials with an empty password (RFC 7617, section 2). */
function readUser(encoded: string): string | undefined {
  if (!/^[0-9A-Za-z+/]+={0,2}$/.test(encoded)) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  return text.indexOf(':') === text.length - 1 ? text.slice(0, -1) : undefined
}

/** RFC 6749, section 2.3.1: the client id is form-encoded. Some clients send it as it is. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/**
 * Converts a text to an `error_description`: printable ASCII without `"` and `\` (RFC 6749, section 5.2). Quotation
 * marks become apostrophes, and other characters that are not allowed become question marks.
 */
export const toErrorDescription = (text: string): string =>
  text
    .replaceAll('"', "'")
    .replaceAll('\\', '/')
    .replaceAll(/[^ -~]/gu, '?')

/** The grant type of a device login (RFC 8628, section 3.4). */
export const deviceCodeGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** The grant type of a token exchange (RFC 8693, section 2.1). */
export const tokenExchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange'

/** The scopes that a client requests; `null`: it requests no limit. Or the one that is unknown. */
export type RequestedScopes =
  | { readonly scopes: readonly Scope[] | null }
  | { readonly unknown: string }

/**
 * The scopes of OpenID Connect (Core, sections 5.4 and 11). Clients add them to every request. They grant nothing here.
 */
const openIdScopes: ReadonlySet<string> = new Set([
  'openid',
  'profile',
  'email',
  'address',
  'phone',
  'offline_access',
])

/**
 * Reads a `scope` (RFC 6749, section 3.3): names of scopes, separated by spaces. Repetitions and the scopes of OpenID
 * Connect are left out.
 */
export function readRequestedScopes(text: string): RequestedScopes {
  const names = text.split(' ').filter((name) => name !== '' && !openIdScopes.has(name))
  const unknown = names.find((name) => !isScope(name))
  if (unknown !== undefined) return { unknown }
  return { scopes: names.length === 0 ? null : [...new Set(names as Scope[])] }
}
