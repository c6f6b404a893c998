import { setTimeout } from 'node:timers/promises'
import { callerOf } from '../../support/caller.ts'
import { until } from '../../support/until.ts'
import type { System } from './system.ts'

/** Continuous revocations, one at a time. */
export interface Revocations {
  /** Waits until there were `count`. */
  reach(count: number): Promise<void>
  /** Stops them; returns the requests that were accepted with a revoked key. */
  stop(): Promise<readonly string[]>
}

/** Slow enough that the managing key stays within its own rate limit. */
const paceMs = 250
const patienceMs = 180_000

/** Creates keys, uses each at every API so that all cache it, revokes it at one, and then uses it at every API. */
export function startRevocations({ api, apis }: System): Revocations {
  const callers = apis.map(callerOf)
  const letIn: string[] = []
  let revoked = 0
  const stopping = new AbortController()

  async function revokeOne(token: string): Promise<void> {
    const made = await callers[0]!.call('post', '/api-keys', {
      token,
      body: { name: `revoked ${revoked}`, scopes: ['webhooks:read'] },
    })
    if (made.status !== 201) throw new Error(`a key was refused: ${JSON.stringify(made.body)}`)
    const { key, token: doomed } = made.body
    const use = async (expected: number): Promise<void> => {
      const responses = await Promise.all(
        callers.map((caller) => caller.call('get', '/webhooks', { token: doomed })),
      )
      for (const [index, { status }] of responses.entries()) {
        if (status !== expected) letIn.push(`key ${revoked} at API ${index}: ${status}`)
      }
    }
    await use(200)
    await use(200)
    const revoking = callers[revoked % callers.length]!
    const { status } = await revoking.call('delete', `/api-keys/${key.id}`, { token })
    if (status !== 204) throw new Error(`a revocation got status ${status}`)
    await use(401)
    revoked += 1
  }

  async function run(): Promise<void> {
    const tenant = await api.makeTenant()
    const { token } = await tenant.makeKey()
    while (!stopping.signal.aborted) await Promise.all([revokeOne(token), setTimeout(paceMs)])
  }

  const running = run()
  running.catch(() => undefined)
  return {
    async reach(count) {
      const reached = until(
        () => Promise.resolve(revoked),
        (sum) => sum >= count,
        patienceMs,
      )
      await Promise.race([reached, running])
    },
    async stop() {
      stopping.abort()
      await running
      return letIn
    },
  }
}
