import { isTrustedProxy } from './client-address.ts'
import type { Network } from './networks.ts'

/**
 * Whether a request arrived over TLS. A proxy in front of the service terminates TLS. A trusted proxy reports it in
 * `X-Forwarded-Proto`; if the header lists several hops, every one must be `https`. Without the header, or from an
 * untrusted address, `PUBLIC_URL` decides.
 *
 * @param forwardedProto - the header's value, or `undefined`.
 */
export function isSecureRequest(
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
