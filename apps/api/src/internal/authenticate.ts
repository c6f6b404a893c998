import { isSameHash, Problem, type ServiceToken } from '@hosting/core'
import { createHash } from 'node:crypto'
import type { Authenticator } from '../http/authenticator.ts'
import type { ServiceCaller } from './internal-route.ts'

/** The authenticator of the internal API. It requires a service token. The configuration has only hashes of them. */
export const createInternalAuthenticator = (
  serviceTokens: readonly ServiceToken[],
): Authenticator<ServiceCaller> => ({
  admit({ req }) {
    const authorization = req.get('authorization')
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? ''
    const hash = createHash('sha256').update(token).digest()
    const known = serviceTokens.find((serviceToken) => isSameHash(serviceToken.hash, hash))
    if (!known) {
      const error = authorization === undefined ? '' : ' error="invalid_token"'
      throw new Problem('authentication_required', {
        headers: { 'WWW-Authenticate': `Bearer${error}` },
      })
    }
    return Promise.resolve({ service: known.service })
  },
  requireStillAdmitted: (_arrival, caller) => Promise.resolve(caller),
  recordRefusal: () => Promise.resolve(),
  nameCaller: () => undefined,
})
