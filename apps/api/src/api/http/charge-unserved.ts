import type { Request, Response } from 'express'
import type { Services } from '../services.ts'
import { authenticateKey } from '../access/authenticate.ts'
import { clientAddressOf } from './client-address.ts'
import { setHeaders } from './headers.ts'
import { onStatus } from './response-status.ts'

/**
 * Authenticates and charges the key of a request that no route serves, if it has one. Every request with a key counts
 * (docs/specification/requests.md#rate-limit-of-a-key).
 *
 * @throws Problem as {@link authenticateKey} does.
 */
export async function chargeUnserved(services: Services, req: Request, res: Response) {
  const authorization = req.get('authorization')
  if (authorization === undefined) return
  await authenticateKey(services, {
    authorization,
    ip: clientAddressOf(services, req),
    route: 'none',
    operation: null,
    requestId: req.id,
    setHeaders: (headers) => setHeaders(res, headers),
    onStatus: (listener) => onStatus(res, listener),
  })
}
