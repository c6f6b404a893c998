import { hostOf, type AddressPolicy } from '@hosting/core/network'
import { outcomeOfStatus, type AttemptOutcome, type ErrorClass } from '@hosting/core/webhooks'
import { AsyncLocalStorage } from 'node:async_hooks'
import { isIP, type Socket } from 'node:net'
import { Agent, type buildConnector } from 'undici'
import { classifyError } from '../../apps/worker/src/delivery/classify-error.ts'
import { createGuardedAgents, lookupWith, type GuardedAgents, type Resolve } from '@hosting/process'
import {
  bodyBytesMax,
  type Phase,
  type SendRequest,
} from '../../apps/worker/src/delivery/exchange.ts'
import type { Sender, SenderOptions } from '../../apps/worker/src/delivery/send.ts'

/** An exchange, as seen by the connection that undici opens for it. */
interface Attempt extends Phase {
  readonly tenantId: string
  hasResponse: boolean
  /** Ends it before its response: the sent request, or the connection that is being opened. */
  abort: (reason: Error) => void
}

type Attempts = AsyncLocalStorage<Attempt>

/**
 * The sender with undici instead of got: the same guard, deadline and second try. Its limitations: it does not
 * expose the connection of a request, so a break within the status line counts as a connection that was dead
 * from the start; it considers 100 and 101 broken responses; and a connection is free for the next request only
 * one turn of the event loop after its response.
 */
export function createUndiciSender(
  policy: AddressPolicy,
  { timeoutMs, resolve }: Omit<SenderOptions, 'httpClient'>,
): Sender {
  // Only opens connections: undici has its own pool.
  const guarded = createGuardedAgents(policy, { keepAlive: false })
  // undici does not say for which request it connects, and a lookup counts for a tenant.
  const attempts: Attempts = new AsyncLocalStorage()
  const connect: buildConnector.connector = (to, connected) =>
    openConnection(to, connected, { guarded, resolve, attempt: attempts.getStore()! })
  const shared = { connect, allowH2: false, headersTimeout: 0, bodyTimeout: 0 }
  const pooled = new Agent({ ...shared, keepAliveTimeout: 60_000, keepAliveMaxTimeout: 60_000 })
  const fresh = new Agent({ ...shared, pipelining: 0 })
  return {
    async send(request) {
      const deadline = performance.now() + timeoutMs
      const first = await exchange(request, { agent: pooled, deadline, attempts })
      if (!first.staleConnection) return first.outcome
      return (await exchange(request, { agent: fresh, deadline, attempts })).outcome
    },
    close() {
      void pooled.destroy()
      void fresh.destroy()
      guarded.destroy()
    },
  }
}

function exchange(
  { url, headers, body, tenantId }: SendRequest,
  { agent, deadline, attempts }: { agent: Agent; deadline: number; attempts: Attempts },
): Promise<{ outcome: AttemptOutcome; staleConnection: boolean }> {
  return new Promise((settle) => {
    const target = new URL(url)
    const attempt: Attempt = {
      tenantId,
      errorOnDeadline: isIP(hostOf(target)) ? 'connect_timeout' : 'dns_error',
      isReused: () => false,
      isStale: () => !attempt.hasResponse,
      hasResponse: false,
      abort: () => undefined,
    }
    let received: AttemptOutcome | undefined
    const timer = setTimeout(
      () => {
        finish({ statusCode: null, errorClass: attempt.errorOnDeadline })
        attempt.abort(new Error('The deadline has come.'))
      },
      Math.max(0, deadline - performance.now()),
    )

    function finish(outcome: AttemptOutcome, staleConnection = false): void {
      clearTimeout(timer)
      settle({ outcome: received ?? outcome, staleConnection })
    }

    let bytes = 0
    const { origin, pathname, search } = target
    const request = {
      origin,
      path: pathname + search,
      method: 'POST',
      headers: { 'accept-encoding': 'identity', ...headers },
      body,
    } as const
    attempts.run(attempt, () =>
      agent.dispatch(request, {
        onRequestStart(controller) {
          attempt.errorOnDeadline = 'timeout'
          attempt.abort = (reason) => controller.abort(reason)
        },
        onResponseStart(_controller, statusCode) {
          attempt.hasResponse = true
          if (statusCode >= 200) received = outcomeOfStatus(statusCode)
        },
        onResponseData(controller, chunk) {
          bytes += chunk.length
          if (bytes > bodyBytesMax) controller.abort(new Error('The body is too long.'))
        },
        onResponseEnd: () => finish(received!),
        onResponseError(_controller, error) {
          finish({ statusCode: null, errorClass: classify(error) }, attempt.isStale())
        },
      }),
    )
  })
}

/** Opens a connection as the guarded agents do, within the deadline of the exchange that requested it. */
function openConnection(
  { hostname, port, protocol }: buildConnector.Options,
  connected: buildConnector.Callback,
  { guarded, resolve, attempt }: { guarded: GuardedAgents; resolve: Resolve; attempt: Attempt },
): void {
  const secure = protocol === 'https:'
  // A connection that this exchange opens itself was not pooled.
  attempt.isStale = () => false
  let failed: (error: Error) => void = (error) => {
    failed = () => undefined
    connected(error, null)
  }
  attempt.abort = (error) => failed(error)
  const options = {
    host: hostname,
    port: port || (secure ? 443 : 80),
    servername: isIP(hostname) ? '' : hostname,
    noDelay: true,
    lookup: lookupWith(
      (host) => resolve(host, attempt.tenantId),
      () => (attempt.errorOnDeadline = 'connect_timeout'),
    ),
  }
  const agent = secure ? guarded.https : guarded.http
  const socket = agent.createConnection(
    options,
    (error: Error | null) => error && failed(error),
  ) as Socket | null | undefined
  if (!socket) return
  attempt.abort = (error) => socket.destroy(error)
  socket.once('connect', () => (attempt.errorOnDeadline = 'timeout'))
  socket.once(secure ? 'secureConnect' : 'connect', () => {
    if (socket.destroyed) return
    failed = () => undefined
    connected(null, socket)
  })
  socket.on('error', (error) => failed(error))
}

/** undici has its own errors, for a connection that the receiver closed and for malformed HTTP. */
function classify(error: Error): ErrorClass {
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'UND_ERR_SOCKET') return 'connection_reset'
  if (error.name === 'HTTPParserError' || code.startsWith('UND_ERR_')) return 'protocol_error'
  return classifyError(error)
}
