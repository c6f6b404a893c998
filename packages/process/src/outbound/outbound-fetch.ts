import type { AddressPolicy } from '@hosting/core/network'
import type { OutgoingHttpHeaders } from 'node:http'
import { boundedRequest } from './bounded-request.ts'
import { createGuardedAgents } from './guarded-agents.ts'
import { createLookup, type Lookup } from './lookup.ts'
import { lookupWith } from './lookup-function.ts'

/** The options of a request of {@link createFetch}, as openid-client gives them. */
export interface FetchOptions {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  /** A body as `fetch` takes it. */
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

/** Sends a request. Follows no redirect. */
export type OutboundFetch = (url: string, options: FetchOptions) => Promise<Response>

/** The operator names these servers, so any address is permitted. */
const anyAddress: AddressPolicy = { allowsPrivate: true, permits: () => true }

/**
 * Creates a `fetch` for servers that the operator names. Unlike Node's, it connects as webhooks do, and accepts as long
 * heads (see `limitResponse`).
 *
 * @param bytesMax - the size of the largest body that is read, in bytes.
 */
export function createFetch({
  bytesMax,
  lookUp = createLookup(),
}: {
  bytesMax: number
  lookUp?: Lookup
}): OutboundFetch {
  const agents = createGuardedAgents(anyAddress, { keepAlive: false })
  return async (url, { method, headers, body, signal = new AbortController().signal }) => {
    const request = {
      agents,
      lookup: lookupWith(lookUp),
      method,
      headers: { ...headers, 'accept-encoding': 'identity' } satisfies OutgoingHttpHeaders,
      body: body
        ? await new Response(body as ConstructorParameters<typeof Response>[0]).text()
        : undefined,
      bytesMax,
      signal,
    }
    const response = await boundedRequest(new URL(url), request)
    const all = new Headers()
    for (const [name, values] of Object.entries(response.headers)) {
      for (const value of values!) all.append(name, value)
    }
    // A status such as 204 permits no body.
    const content = response.body.length === 0 ? null : new Uint8Array(response.body)
    return new Response(content, { status: response.status, headers: all })
  }
}
