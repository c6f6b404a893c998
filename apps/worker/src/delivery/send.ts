import type { AddressPolicy, AttemptOutcome, HttpClientName } from '@hosting/core'
import { exchange, type SendRequest } from './exchange.ts'
import { createGuardedAgents } from './guarded-agents.ts'
import { httpClients } from './http-clients.ts'
import type { Resolve } from './resolver.ts'

/** Sends, and gives what came of it. It never throws for what the network or the receiver does. */
export interface Sender {
  send(request: SendRequest): Promise<AttemptOutcome>
  close(): void
}

/** What a sender is made with. */
export interface SenderOptions {
  /** Of an attempt as a whole, its second try included. */
  readonly timeoutMs: number
  readonly resolve: Resolve
  readonly httpClient: HttpClientName
}

/**
 * The sender of this process: pooled connections behind the guard, one deadline over name, connection,
 * TLS, headers and body, no redirects and no proxies.
 */
export function createSender(
  policy: AddressPolicy,
  { timeoutMs, resolve, httpClient }: SenderOptions,
): Sender {
  const pooled = createGuardedAgents(policy, { keepAlive: true })
  const fresh = createGuardedAgents(policy, { keepAlive: false })
  const overPooled = httpClients[httpClient](pooled)
  const overFresh = httpClients[httpClient](fresh)
  return {
    async send(request) {
      const deadline = performance.now() + timeoutMs
      const first = await exchange(request, { client: overPooled, deadline, resolve })
      if (!first.staleConnection) return first.outcome
      return (await exchange(request, { client: overFresh, deadline, resolve })).outcome
    },
    close() {
      pooled.destroy()
      fresh.destroy()
    },
  }
}
