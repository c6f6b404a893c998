import { setTimeout } from 'node:timers/promises'
import { callerOf, type CallerResponse } from '../../support/caller.ts'
import { until } from '../../support/until.ts'
import type { System } from './system.ts'

/** Continuous revocations, one at a time. */
export interface Revocations {
  /** The number of keys whose revocation got a 204. */
  count(): number
  /** Waits until there were `count`. */
  reach(count: number): Promise<void>
  /** Uses every revoked key once more at every API, and returns how many requests were accepted since the start. */
  check(): Promise<readonly string[]>
  /** Stops them; returns the requests that were accepted with a revoked key. */
  stop(): Promise<readonly string[]>
  /** Stops them at once, whatever is in progress. */
  abandon(): void
}

/** Slow enough that the managing key stays within its own rate limit. */
const paceMs = 250
const patienceMs = 180_000
const repeatAfterMs = 500

/**
 * Creates keys, uses each at every API so that all cache it, revokes it at one, and then uses it at every API.
 *
 * @param options - `isDatabaseAway`: whether requests may get a 503, and are repeated then.
 */
export function startRevocations(
  { api, apis }: System,
  { isDatabaseAway = false } = {},
): Revocations {
  const callers = apis.map(callerOf)
  const letIn: string[] = []
  const revoked: string[] = []
  const stopping = new AbortController()
  const abandoning = new AbortController()

  const insist = (ask: () => Promise<CallerResponse>): Promise<CallerResponse> =>
    isDatabaseAway ? repeat(ask, abandoning.signal) : ask()

  async function use(token: string, expected: number): Promise<void> {
    const responses = await Promise.all(
      callers.map((caller) => insist(() => caller.call('get', '/webhooks', { token }))),
    )
    for (const [index, { status }] of responses.entries()) {
      if (status !== expected) letIn.push(`key ${revoked.length} at API ${index}: ${status}`)
    }
  }

  async function revokeOne(token: string): Promise<void> {
    const body = { name: `revoked ${revoked.length}`, scopes: ['webhooks:read'] }
    const made = await insist(() => callers[0]!.call('post', '/api-keys', { token, body }))
    if (made.status !== 201) throw new Error(`a key was refused: ${JSON.stringify(made.body)}`)
    const { key, token: doomed } = made.body
    await use(doomed, 200)
    await use(doomed, 200)
    const revoking = callers[revoked.length % callers.length]!
    const { status } = await insist(() => revoking.call('delete', `/api-keys/${key.id}`, { token }))
    if (status !== 204) throw new Error(`a revocation got status ${status}`)
    await use(doomed, 401)
    revoked.push(doomed)
  }

  async function run(): Promise<void> {
    const tenant = await api.makeTenant()
    const { token } = await tenant.makeKey()
    while (!stopping.signal.aborted) await Promise.all([revokeOne(token), setTimeout(paceMs)])
  }

  const running = run()
  running.catch(() => undefined)
  return {
    count: () => revoked.length,
    reach: (count) => Promise.race([running, untilAtLeast(() => revoked.length, count)]),
    async check() {
      for (const token of revoked) await use(token, 401)
      return letIn
    },
    async stop() {
      stopping.abort()
      await running
      return letIn
    },
    abandon() {
      stopping.abort()
      abandoning.abort()
    },
  }
}

const untilAtLeast = async (count: () => number, least: number): Promise<void> =>
  void (await until(
    async () => count(),
    (sum) => sum >= least,
    patienceMs,
  ))

/** Repeats a request until PostgreSQL is back. The many repetitions may exceed the rate limit. */
async function repeat(
  ask: () => Promise<CallerResponse>,
  abandoning: AbortSignal,
): Promise<CallerResponse> {
  for (;;) {
    abandoning.throwIfAborted()
    const response = await ask()
    if (response.status !== 503 && response.status !== 429) return response
    await setTimeout(repeatAfterMs)
  }
}
