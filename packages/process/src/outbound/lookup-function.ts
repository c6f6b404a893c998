import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { ConnectionError } from './connection-error.ts'

/** The attempts to connect of one request. */
export interface Connecting {
  cancel?: () => void
}

/** The lookup of one request, which gives every address of the name. */
export interface RequestLookup extends LookupFunction {
  (
    host: string,
    options: { readonly all: true; readonly connecting: Connecting },
    callback: (error: Error | null, addresses: LookupAddress[]) => void,
  ): void
}

/**
 * Adapts a resolver to Node's `lookup` option, for one request. Call `end` when the request has ended: it also ends the
 * attempts to connect.
 *
 * @param onResolved - called when the name is resolved.
 */
export function lookupWith(
  resolve: (host: string) => Promise<LookupAddress[]>,
  onResolved: () => void = () => undefined,
): RequestLookup & { end: () => void } {
  let hasEnded = false
  let connecting: Connecting | undefined
  const lookup = (
    host: string,
    options: object,
    callback: (error: Error | null, addresses: LookupAddress[]) => void,
  ): void => {
    // HTTP clients wrap this function and pass the options on.
    if ('connecting' in options) connecting = options.connecting as Connecting
    resolve(host).then(
      (addresses) => {
        onResolved()
        return addresses.length > 0 && !hasEnded
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
  return Object.assign(lookup as RequestLookup, {
    end() {
      hasEnded = true
      connecting?.cancel?.()
    },
  })
}
