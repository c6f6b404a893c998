import { lookup } from 'node:dns/promises'

/** The host names under which people can reach the API of `npm start`, which listens on 127.0.0.1. */
export type PublicHost = 'localhost' | '127.0.0.1'

/**
 * `localhost`, for which browsers allow passkeys, if it resolves only to loopback addresses and to that of the API;
 * otherwise the address, for which they do not.
 *
 * @param resolve - returns the addresses of a name.
 */
export async function findPublicHost(
  resolve: (name: string) => Promise<readonly { readonly address: string }[]> = (name) =>
    lookup(name, { all: true }),
): Promise<PublicHost> {
  const found = await resolve('localhost').catch(() => [])
  const addresses = found.map(({ address }) => address)
  const isLoopback = addresses.every((address) => address === '::1' || address.startsWith('127.'))
  return isLoopback && addresses.includes('127.0.0.1') ? 'localhost' : '127.0.0.1'
}
