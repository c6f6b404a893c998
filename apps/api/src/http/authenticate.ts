import {
  decideAccess,
  hashKeySecret,
  isSameHash,
  parseKeyToken,
  Problem,
  type PermissionName,
} from '@hosting/core'
import { findKeyForAuthentication, type AuthenticationRecord } from '@hosting/postgres'
import type { Services } from '../services.ts'
import type { Gatekeeper } from './serve.ts'

/** Who calls the API: the acting user of a key, and the key. */
export type Principal = AuthenticationRecord

/** The gatekeeper of the public API. */
export function admitPrincipals(services: Services): Gatekeeper<Principal> {
  return async (req, _ip, { auth }) => {
    if (auth === 'none') return undefined as never
    const principal = await authenticateKey(services, req.get('authorization'))
    if (auth !== 'any') {
      const refusal = decideAccess(
        { roles: principal.user.roles, key: principal },
        auth as PermissionName,
        req.method,
      )
      if (refusal) throw refusal
    }
    return principal
  }
}

/**
 * The key of an `Authorization` header.
 *
 * @throws Problem 401: `authentication_required` without credentials, else `invalid_api_key`, the same
 *   whether the key is malformed, unknown, expired or revoked.
 */
export async function authenticateKey(
  { database, serverSecret }: Services,
  authorization: string | undefined,
): Promise<Principal> {
  if (authorization === undefined) {
    throw new Problem('authentication_required', { headers: { 'WWW-Authenticate': 'Bearer' } })
  }
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
  const parts = token === undefined ? undefined : parseKeyToken(token)
  if (!parts) throw invalidKey()
  const record = await findKeyForAuthentication(database, parts.id)
  const hash = hashKeySecret(serverSecret, parts)
  if (!record?.secretHashes.some((stored) => isSameHash(stored, hash))) throw invalidKey()
  return record
}

const invalidKey = (): Problem =>
  new Problem('invalid_api_key', {
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  })
