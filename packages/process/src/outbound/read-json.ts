import type { AddressPolicy } from '@hosting/core/network'
import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { createGuardedAgents } from './guarded-agents.ts'
import { lookupWith } from './lookup-function.ts'
import type { Resolve } from './resolver.ts'
import { limitResponse } from './response-limits.ts'

/** The limits of a request of {@link createJsonReader}. */
export interface JsonRequest {
  /** Its lookups of names are limited. */
  readonly tenantId: string
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
   *   too long heads (see {@link limitResponse}), or the document is too large or not JSON.
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
    async read(url, { tenantId, bytesMax, signal }) {
      const target = new URL(url)
      const options = {
        headers: { accept: 'application/json', 'accept-encoding': 'identity' },
        lookup: lookupWith(
          (host) => resolve(host, tenantId),
          () => undefined,
        ),
        signal,
      }
      const request =
        target.protocol === 'https:'
          ? https.get(target, { ...options, agent: agents.https })
          : http.get(target, { ...options, agent: agents.http })
      let exceeded: Error | undefined
      limitResponse(request, {
        bodyBytesMax: bytesMax,
        onExceeded() {
          exceeded = new Error('got too long a response')
          request.destroy(exceeded)
        },
      })
      try {
        const [response] = (await once(request, 'response', { signal })) as [IncomingMessage]
        if (response.statusCode !== 200) throw new Error(`got HTTP ${response.statusCode}`)
        return JSON.parse(await readText(response, bytesMax)) as unknown
      } catch (error) {
        // The limit also breaks the parser and the body, whose errors may come first.
        throw exceeded ?? error
      } finally {
        request.destroy()
      }
    },
    close: () => agents.destroy(),
  }
}

async function readText(response: IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new Error(`got more than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
