import { readOAuthClient } from '@hosting/core/oauth'
import { Problem } from '@hosting/core/problems'

/** Creates a 400 `invalid_request`. @param reason - a sentence without a capital. */
export const invalidRequest = (reason: string): Problem =>
  new Problem('invalid_request', { facts: { reason } })

/**
 * Reads an optional member of a request. An empty value counts as none (RFC 6749, section 3.1).
 *
 * @throws Problem `invalid_request` if the member is repeated or not text.
 */
export function findMember(body: unknown, name: string): string | undefined {
  const members = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  const value = Object.hasOwn(members, name) ? members[name] : undefined
  if (value === undefined || value === '') return undefined
  if (typeof value !== 'string') throw invalidRequest(`\`${name}\` must be text and occur once.`)
  return value
}

/** Reads a member of a request. @throws Problem `invalid_request` if it is missing, empty, repeated or not text. */
export function readMember(body: unknown, name: string): string {
  const value = findMember(body, name)
  if (value === undefined) throw invalidRequest(`\`${name}\` is required, once and as text.`)
  return value
}

/** @throws Problem `unsupported_grant_type` */
export function requireGrantType(grantType: string, supported: readonly string[]): void {
  if (supported.includes(grantType)) return
  throw new Problem('unsupported_grant_type', { facts: { supported: supported.join(', ') } })
}

/**
 * Finds the client that a request names in `client_id` or as the user of `Authorization: Basic`.
 *
 * @throws Problem `invalid_client` for credentials with a password, or `invalid_request` if the two differ.
 */
export function findClientId(body: unknown, authorization: string | undefined): string | undefined {
  const client = readOAuthClient(authorization, findMember(body, 'client_id'))
  if (!('error' in client)) return client.id
  if (client.error === 'invalid_request') {
    throw invalidRequest('`client_id` differs from the user of `Authorization`.')
  }
  const headers = { 'WWW-Authenticate': 'Basic realm="OAuth", charset="UTF-8"' }
  throw new Problem('invalid_client', { headers })
}

/** Reads the client of a request. @throws Problem `invalid_client` or `invalid_request` */
export function readClientId(body: unknown, authorization: string | undefined): string {
  const id = findClientId(body, authorization)
  if (id === undefined) throw invalidRequest('`client_id` is required.')
  return id
}
