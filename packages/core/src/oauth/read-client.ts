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
