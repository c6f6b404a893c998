import { randomUUID } from 'node:crypto'
import { request as httpRequest } from 'node:http'

/** Ways in which clients send a token: where it belongs, and where it does not. */
export const credentialPlacements = (token: string): CredentialPlacement[] => [
  ...[
    `Bearer ${token}`,
    `bearer  ${token}`,
    token,
    `Token ${token}`,
    `Bearer Bearer ${token}`,
    `Bearer "${token}"`,
    `Bearer ${token} ${token}`,
    `Basic ${basic(`${token}:`)}`,
    `Basic ${basic(`user:${token}`)}`,
    `Digest username="${token}"`,
  ].map((authorization) => ({ headers: { authorization } })),
  { headers: { authorization: [`Bearer ${token}`, `Bearer ${token}`] } },
  { headers: { authorization: [`Basic ${basic(token)}`, `Bearer ${token}`] } },
  { headers: { 'x-api-key': token } },
  { headers: { 'proxy-authorization': `Bearer ${token}` } },
  { headers: { cookie: `session=${token}; token=${token}` } },
  { query: `?token=${token}` },
  { query: `?access_token=${token}&limit=${token}` },
  { query: `?cursor=${token}` },
  { suffix: `/${token}` },
  { suffix: `/${token}`, headers: { authorization: `Bearer ${token}` } },
  { suffix: `/${encodeURIComponent(token).replaceAll('_', '%5F')}` },
  { suffix: `/${token.replaceAll('_', '%255f')}` },
  { body: { token } },
  { body: { name: token, scopes: [token], authorization: `Bearer ${token}` } },
  { body: `{"token":"${token}` },
  { body: `token=${token}`, headers: { 'content-type': 'application/x-www-form-urlencoded' } },
]

/** Where a request has a credential. */
export interface CredentialPlacement {
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly query?: string
  readonly suffix?: string
  readonly body?: unknown
}

const basic = (text: string): string => Buffer.from(text).toString('base64')

/** Sends a request as it is: two headers of a name remain two. */
export function sendPlaced(
  url: string,
  method: string,
  { headers = {}, query = '', suffix = '', body }: CredentialPlacement,
): Promise<{ status: number; text: string }> {
  const content = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
  const sent = httpRequest(
    url + suffix + query,
    {
      method,
      // The listener closes the connection of some refused requests.
      agent: false,
      headers: {
        'x-forwarded-for': `2001:db8:${randomUUID().slice(0, 4)}::1`,
        ...(content !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(content),
        }),
        ...(headers as Record<string, string>),
      },
    },
    (response) => {
      const { statusCode: status, headers: received } = response
      response
        .toArray()
        .then(
          (chunks) =>
            resolve({ status: status!, text: `${JSON.stringify(received)}\n${chunks.join('')}` }),
          reject,
        )
    },
  )
  sent.on('error', reject)
  sent.end(content)
  return promise
}
