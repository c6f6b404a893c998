import type { NetworkInterfaceInfo } from 'node:os'
import { parseNetwork, type Network } from './networks.ts'

/**
 * The machine's own addresses but loopback, each as a network of one: what `OWN_NETWORKS` means when it
 * is unset (contract §6).
 *
 * @param interfaces - what `os.networkInterfaces()` gives.
 */
export const ownNetworks = (
  interfaces: Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>,
): Network[] =>
  Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal }) => !internal)
    .map(({ address }) => parseNetwork(address))
