import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { ConnectionError } from './connection-error.ts'

/**
 * Adapts a resolver to Node's `lookup` option, for one request.
 *
 * @param onResolved - called when the name is resolved.
 */
export function lookupWith(
  resolve: (host: string) => Promise<LookupAddress[]>,
  onResolved: () => void,
): LookupFunction {
  return (host, _options, callback) => {
    resolve(host).then(
      (addresses) => {
        onResolved()
        return addresses.length > 0
          ? callback(null, addresses)
          : callback(new ConnectionError('dns_error', `The name ${host} has no address.`), [])
      },
      (error: unknown) =>
        callback(
          error instanceof Error ? error : new ConnectionError('dns_error', String(error)),
          [],
        ),
    )
  }
}
