import { isSameHash, Problem } from '@hosting/core'
import { createHash } from 'node:crypto'
import type { Authenticator } from '../http/authenticator.ts'

/** The gatekeeper of the internal API. It requires a service token. The configuration has only hashes of them. */
export const createInternalAuthenticator = (
  tokenHashes: readonly Buffer[],
): Authenticator<undefined> => ({
  admit({ req }) {
    const authorization = req.get('authorization')
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? ''
    const hash = createHash('sha256').update(token).digest()
    if (!tokenHashes.some((known) => isSameHash(known, hash))) {
      const error = authorization === undefined ? '' : ' error="invalid_token"'
      throw new Problem('authentication_required', {
        headers: { 'WWW-Authenticate': `Bearer${error}` },
      })
    }
    return Promise.resolve(undefined)
  },
  requireStillAdmitted: () => Promise.resolve(undefined),
  noteRefusal: () => Promise.resolve(),
  nameCaller: () => undefined,
})
