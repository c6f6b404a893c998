import { clientAddress } from '@hosting/core'
import type { Request } from 'express'
import type { Services } from '../services.ts'

/** The client's address of a request. */
export const clientAddressOf = (services: Services, req: Request): string =>
  clientAddress(req.socket.remoteAddress ?? '', req.get('x-forwarded-for'), {
    trustedProxies: services.config.trustedProxies,
    onUnreadable: (entry) => warnOnce(services, entry),
  })

const warned = new WeakSet<Services>()

/** Each request may repeat it, so one line per process has to do. */
function warnOnce(services: Services, entry: string): void {
  if (warned.has(services)) return
  warned.add(services)
  services.log.warn(
    { entry: entry.slice(0, 100) },
    'a trusted proxy sent an X-Forwarded-For entry that is not an address',
  )
}
