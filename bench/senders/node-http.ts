import { hostOf, outcomeOfStatus, type AddressPolicy, type AttemptOutcome } from '@hosting/core'
import http from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { classifyError } from '../../apps/worker/src/delivery/classify-error.ts'
import {
  createGuardedAgents,
  type GuardedAgents,
} from '../../apps/worker/src/delivery/guarded-agents.ts'
import { createResolver, type Resolve } from '../../apps/worker/src/delivery/resolver.ts'
import { bodyBytesMax } from '../../apps/worker/src/delivery/response-limits.ts'
import {
  lookupWith,
  watchConnection,
  type Phase,
  type Sender,
  type SenderOptions,
  type SendRequest,
} from '../../apps/worker/src/delivery/send.ts'

/** The sender with Node's own client in place of got: the same guard, deadline and second try. */
export function createNodeHttpSender(
  policy: AddressPolicy,
  { timeoutMs, resolve = createResolver() }: SenderOptions,
): Sender {
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

function exchange(
  { url, headers, body, tenantId }: SendRequest,
  { agents, deadline, resolve }: { agents: GuardedAgents; deadline: number; resolve: Resolve },
): Promise<{ outcome: AttemptOutcome; staleConnection: boolean }> {
  return new Promise((settle) => {
    const target = new URL(url)
    const secure = target.protocol === 'https:'
    const phase: Phase = {
      errorOnDeadline: isIP(hostOf(target)) ? 'connect_timeout' : 'dns_error',
      isStale: () => false,
    }
    const request = (secure ? https : http).request(target, {
      method: 'POST',
      headers: { 'accept-encoding': 'identity', ...headers },
      agent: secure ? agents.https : agents.http,
      lookup: lookupWith(
        (host) => resolve(host, tenantId),
        () => (phase.errorOnDeadline = 'connect_timeout'),
      ),
    })
    let answered: AttemptOutcome | undefined
    const timer = setTimeout(
      () => finish({ statusCode: null, errorClass: phase.errorOnDeadline }),
      Math.max(0, deadline - performance.now()),
    )

    function finish(outcome: AttemptOutcome, staleConnection = false): void {
      clearTimeout(timer)
      settle({ outcome: answered ?? outcome, staleConnection })
      request.destroy()
    }

    watchConnection(request, phase)
    request.once('upgrade', ({ statusCode }, socket) => {
      socket.destroy()
      finish(outcomeOfStatus(statusCode!))
    })
    request.once('response', (response) => {
      const outcome = outcomeOfStatus(response.statusCode!)
      answered = outcome
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > bodyBytesMax) finish(outcome)
      })
      response.on('error', () => finish(outcome))
      response.once('end', () => finish(outcome))
    })
    request.on('error', (error) => {
      finish({ statusCode: null, errorClass: classifyError(error) }, phase.isStale())
    })
    request.end(body)
  })
}
