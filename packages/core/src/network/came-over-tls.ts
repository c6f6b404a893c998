import { isTrustedProxy } from './client-address.ts'
import type { Network } from './networks.ts'

/**
 * Whether a request came over TLS, which ends at a proxy before the service: as a trusted proxy says in
 * `X-Forwarded-Proto`, of every hop if it names several; where none says anything, as `PUBLIC_URL` says.
 *
 * @param forwardedProto - the header's value, or `undefined`.
 */
export function cameOverTls(
  { socketAddress, forwardedProto }: { socketAddress: string; forwardedProto: string | undefined },
  {
    publicUrl,
    trustedProxies,
  }: { publicUrl?: string | undefined; trustedProxies: readonly Network[] },
): boolean {
  if (
    forwardedProto !== undefined &&
    trustedProxies.length > 0 &&
    isTrustedProxy(socketAddress, trustedProxies)
  ) {
    return forwardedProto.split(',').every((entry) => entry.trim().toLowerCase() === 'https')
  }
  return publicUrl?.startsWith('https:') ?? false
}
