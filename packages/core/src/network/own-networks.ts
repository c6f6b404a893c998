import type { NetworkInterfaceInfo } from 'node:os'
import type { Config } from '../configuration/settings.ts'
import { createAddressPolicy, type AddressPolicy } from './address-policy.ts'
import { parseNetwork, type Network } from './networks.ts'

/** What `os.networkInterfaces()` gives. */
export type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>

/**
 * The machine's own addresses but loopback, each as a network of one: what `OWN_NETWORKS` means when it
 * is unset (contract §6).
 *
 * @param interfaces - what `os.networkInterfaces()` gives.
 */
export const ownNetworks = (interfaces: Interfaces): Network[] =>
  Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal }) => !internal)
    .map(({ address }) => parseNetwork(address))

/** Where this installation may send webhooks, as it is configured (contract §6). */
export const addressPolicyOf = (
  { ownNetworks: own, allowedNetworks: allowed }: Pick<Config, 'ownNetworks' | 'allowedNetworks'>,
  interfaces: Interfaces,
): AddressPolicy => createAddressPolicy({ own: own ?? ownNetworks(interfaces), allowed })
