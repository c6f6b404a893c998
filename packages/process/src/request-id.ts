import { createUuidv7 } from '@hosting/core/ids'
import type { IncomingMessage } from 'node:http'

/**
 * The id of a request in its response and in the logs: the client's own value if it is well-formed
 * (docs/specification/requests.md#headers-of-every-response).
 */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : createUuidv7()
}
