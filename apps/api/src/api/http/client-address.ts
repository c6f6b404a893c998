import { clientAddress } from '@hosting/core/network'
import type { Request } from 'express'
import type { Services } from '../services.ts'

/** The IP address of the client of a request. */
export const clientAddressOf = (services: Services, req: Request): string =>
  clientAddress(req.socket.remoteAddress ?? '', req.get('x-forwarded-for'), {
    trustedProxies: services.config.trustedProxies,
    onUnreadable: (entry) => warnOnce(services, entry),
  })

const warned = new WeakSet<Services>()

/** Logs once per process, because every request may have the same entry. */
function warnOnce(services: Services, entry: string): void {
  if (warned.has(services)) return
  warned.add(services)
  services.log.warn(
    { entry: entry.slice(0, 100) },
    'a trusted proxy sent an X-Forwarded-For entry that is not an address',
  )
}
