import { isSameHash } from '@hosting/core/api-keys'
import { type ServiceToken } from '@hosting/core/configuration'
import { Problem } from '@hosting/core/problems'
import { createHash } from 'node:crypto'
import type { Authenticator } from '../access/authenticator.ts'
import type { ServiceCaller } from '../access/caller.ts'

/** The authenticator of the internal API. It requires a service token. The configuration has only hashes of them. */
export const createInternalAuthenticator = (
  serviceTokens: readonly ServiceToken[],
): Authenticator<ServiceCaller> => ({
  admit({ req }) {
    const authorization = req.get('authorization') ?? ''
    if (/^(Bearer)? *$/i.test(authorization)) {
      throw new Problem('authentication_required', { headers: { 'WWW-Authenticate': 'Bearer' } })
    }
    const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? ''
    const hash = createHash('sha256').update(token).digest()
    const known = serviceTokens.find((serviceToken) => isSameHash(serviceToken.hash, hash))
    if (!known) {
      throw new Problem('invalid_service_token', {
        headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
      })
    }
    return Promise.resolve({ service: known.service })
  },
  requireStillAdmitted: (_arrival, caller) => Promise.resolve(caller),
  recordRefusal: () => Promise.resolve(),
  recordLoss: () => Promise.resolve(),
  nameCaller: () => undefined,
  // What the platform reads of an organization takes the turns of that.
  readerOf: ({ service }, { id }) => ({
    tenantId: typeof id === 'string' ? id : 'platform',
    name: `service:${service ?? ''}`,
  }),
})
