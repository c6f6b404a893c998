import { isTrustedProxy } from './client-address.ts'
import type { Network } from './networks.ts'

/**
 * Whether a request arrived over TLS, which a proxy in front of the service terminates. A trusted proxy says so
 * in `X-Forwarded-Proto`, for every hop if it lists several; without the header, `PUBLIC_URL` decides.
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
