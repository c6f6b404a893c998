import type { NetworkInterfaceInfo } from 'node:os'
import type { Config } from '../configuration/settings.ts'
import { createAddressPolicy, type AddressPolicy } from './address-policy.ts'
import { parseNetwork, type Network } from './networks.ts'

/** The result of `os.networkInterfaces()`. */
export type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>

/**
 * The machine's own addresses except loopback, each as a network of one address. This is the default of
 * `OWN_NETWORKS` (docs/specification/webhooks.md#addresses).
 *
 * @param interfaces - the result of `os.networkInterfaces()`.
 */
export const ownNetworks = (interfaces: Interfaces): Network[] =>
  Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal }) => !internal)
    .map(({ address }) => parseNetwork(address))

/** How long the machine's addresses are cached, in ms. They can change while the process runs. */
const interfacesCacheMs = 1_000

/**
 * The address policy of the configuration.
 *
 * @param readInterfaces - `os.networkInterfaces`.
 * @param readMs - a monotonic clock.
 */
export function addressPolicyOf(
  { ownNetworks: own, allowedNetworks: allowed }: Pick<Config, 'ownNetworks' | 'allowedNetworks'>,
  readInterfaces: () => Interfaces,
  readMs = () => performance.now(),
): AddressPolicy {
  if (own) return createAddressPolicy({ own, allowed })
  let policy: AddressPolicy | undefined
  let untilMs = 0
  function readPolicy(): AddressPolicy {
    if (policy && readMs() < untilMs) return policy
    untilMs = readMs() + interfacesCacheMs
    return (policy = createAddressPolicy({ own: ownNetworks(readInterfaces()), allowed }))
  }
  return {
    allowsPrivate: allowed.length > 0,
    permits: (address, reach) => readPolicy().permits(address, reach),
  }
}
