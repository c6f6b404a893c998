import type { AddressPolicy } from '@hosting/core/network'
import { boundedRequest } from './bounded-request.ts'
import { createGuardedAgents } from './guarded-agents.ts'
import { lookupWith } from './lookup-function.ts'
import type { Resolve } from './resolver.ts'

/** The limits of a request of {@link createJsonReader}. */
export interface JsonRequest {
  /** Whose lookups of names it counts as. They are limited for each. */
  readonly lookupsOf: string
  /** The maximum size of the document, in bytes. */
  readonly bytesMax: number
  /** Aborts the request. */
  readonly signal: AbortSignal
}

/** Reads JSON documents from URLs that customers name. */
export interface JsonReader {
  /**
   * Reads a document with one GET request. Follows no redirect.
   *
   * @throws Error if the address is not permitted, the request fails, the response is not a 200 or has too many or
   *   too long heads (see `limitResponse`), or the document is too large or not JSON.
   */
  read(url: string, request: JsonRequest): Promise<unknown>
  close(): void
}

/** Creates a reader that connects only to the addresses that the policy permits for webhooks. */
export function createJsonReader(
  policy: AddressPolicy,
  { resolve }: { resolve: Resolve },
): JsonReader {
  const agents = createGuardedAgents(policy, { keepAlive: false })
  return {
    async read(url, { lookupsOf, bytesMax, signal }) {
      const headers = { accept: 'application/json', 'accept-encoding': 'identity' }
      const lookup = lookupWith((host) => resolve(host, lookupsOf))
      const request = { agents, lookup, headers, bytesMax, signal }
      const { status, body } = await boundedRequest(new URL(url), request)
      if (status !== 200) throw new Error(`got HTTP ${status}`)
      return JSON.parse(body.toString('utf8')) as unknown
    },
    close: () => agents.destroy(),
  }
}
