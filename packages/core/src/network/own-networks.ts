import type { NetworkInterfaceInfo } from 'node:os'
import type { Config } from '../configuration/settings.ts'
import { createAddressPolicy, type AddressPolicy } from './address-policy.ts'
import { parseNetwork, type Network } from './networks.ts'

/** What `os.networkInterfaces()` gives. */
export type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>

/**
 * The machine's own addresses but loopback, each as a network of one: what `OWN_NETWORKS` means when it
 * is unset (docs/specification/webhooks.md#addresses).
 *
 * @param interfaces - what `os.networkInterfaces()` gives.
 */
export const ownNetworks = (interfaces: Interfaces): Network[] =>
  Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal }) => !internal)
    .map(({ address }) => parseNetwork(address))

/** The machine's addresses are read again when they are older than this, in ms: they change while it runs. */
const interfacesMsMax = 1_000

/**
 * Where this installation may send webhooks, as it is configured.
 *
 * @param readInterfaces - `os.networkInterfaces`.
 * @param readMs - a clock that never jumps.
 */
export function addressPolicyOf(
  { ownNetworks: own, allowedNetworks: allowed }: Pick<Config, 'ownNetworks' | 'allowedNetworks'>,
  readInterfaces: () => Interfaces,
  readMs = () => performance.now(),
): AddressPolicy {
  if (own) return createAddressPolicy({ own, allowed })
  let [policy, untilMs] = [undefined as AddressPolicy | undefined, 0]
  function readPolicy(): AddressPolicy {
    if (policy && readMs() < untilMs) return policy
    untilMs = readMs() + interfacesMsMax
    return (policy = createAddressPolicy({ own: ownNetworks(readInterfaces()), allowed }))
  }
  return {
    allowsPrivate: allowed.length > 0,
    permits: (address, reach) => readPolicy().permits(address, reach),
  }
}
