import type { AddressPolicy } from '@hosting/core/network'
import type { AttemptOutcome } from '@hosting/core/webhooks'
import { createGuardedAgents, type Resolve } from '@hosting/process'
import { exchange, type SendRequest } from './exchange.ts'

/** Sends a request and returns its outcome. Never throws because of the network or the receiver. */
export interface Sender {
  send(request: SendRequest): Promise<AttemptOutcome>
  close(): void
}

/** The options of a sender. */
export interface SenderOptions {
  /** For the attempt as a whole, including its second try. */
  readonly timeoutMs: number
  readonly resolve: Resolve
}

/**
 * Creates the sender of this process. It pools connections behind the guard, has one deadline for
 * lookup, connection, TLS, headers and body, and uses no redirects and no proxies.
 */
export function createSender(policy: AddressPolicy, { timeoutMs, resolve }: SenderOptions): Sender {
  const pooled = createGuardedAgents(policy, { keepAlive: true })
  const fresh = createGuardedAgents(policy, { keepAlive: false })
  return {
    async send(request) {
      const deadline = performance.now() + timeoutMs
      const first = await exchange(request, { agents: pooled, deadline, resolve })
      if (!first.staleConnection) return first.outcome
      return (await exchange(request, { agents: fresh, deadline, resolve })).outcome
    },
    close() {
      pooled.destroy()
      fresh.destroy()
    },
  }
}
