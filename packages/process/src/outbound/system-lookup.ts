import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { ConnectionError, LookupTimeout } from './connection-error.ts'

/** The limits of lookups by the system's resolver. */
export interface SystemLookupOptions {
  readonly threadsMax?: number
  readonly lookUp?: (host: string) => Promise<LookupAddress[]>
}

/**
 * Creates a lookup by the system's resolver, getaddrinfo(3). A lookup cannot be cancelled and
 * occupies a thread of libuv's pool until it returns, so it counts until then, even after its
 * timeout. When `threadsMax` are in use, a lookup fails at once.
 */
export function createSystemLookup({
  threadsMax = defaultThreadsMax(),
  lookUp = (host) => lookup(host, { all: true }),
}: SystemLookupOptions = {}): (host: string, timeoutMs: number) => Promise<LookupAddress[]> {
  let threads = 0
  return async (host, timeoutMs) => {
    if (threads >= threadsMax) {
      throw new ConnectionError(
        'dns_error',
        `DNS does not know ${host}, and no thread is free for the system resolver.`,
      )
    }
    threads += 1
    const found = lookUp(host).finally(() => (threads -= 1))
    const timeout = Promise.withResolvers<never>()
    const timer = setTimeout(() => timeout.reject(new LookupTimeout(host)), timeoutMs)
    try {
      return await Promise.race([found, timeout.promise])
    } catch (error) {
      if (error instanceof ConnectionError) throw error
      throw new ConnectionError('dns_error', `The lookup of ${host} failed: ${String(error)}`)
    } finally {
      clearTimeout(timer)
    }
  }
}

/** libuv lets getaddrinfo use at most half of its threads (4 by default). PostgreSQL and Redis need some. */
const defaultThreadsMax = (): number =>
  Math.max(1, Math.floor(Number(process.env['UV_THREADPOOL_SIZE'] ?? 4) / 8))
