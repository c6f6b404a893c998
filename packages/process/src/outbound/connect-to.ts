import net, { isIP, type Socket } from 'node:net'
import { connectStaggered } from './connect-staggered.ts'
import { ConnectionError } from './connection-error.ts'
import type { Lookup } from './lookup.ts'

/**
 * Connects to a server that the operator names, at any of its addresses (see `connectStaggered`).
 *
 * @param signal - ends the attempts.
 * @throws ConnectionError `dns_error`, the most telling error of the addresses, or the signal's reason.
 */
export async function connectTo(
  { host, port }: { readonly host: string; readonly port: number },
  { lookUp, signal }: { readonly lookUp: Lookup; readonly signal: AbortSignal },
): Promise<Socket> {
  const family = isIP(host)
  const addresses = family ? [{ address: host, family }] : await lookUp(host)
  signal.throwIfAborted()
  if (addresses.length === 0) {
    throw new ConnectionError('dns_error', `The name ${host} has no address.`)
  }
  return new Promise((resolve, reject) => {
    const cancel = connectStaggered(
      addresses,
      ({ address }) => net.connect({ host: address, port }),
      (error, socket) => {
        signal.removeEventListener('abort', abort)
        if (error) reject(error)
        else resolve(socket!)
      },
    )
    function abort(): void {
      cancel()
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', abort, { once: true })
  })
}
