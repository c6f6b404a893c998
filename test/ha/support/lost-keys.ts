import { expect } from '@jest/globals'
import type { System } from './system.ts'
import { callerOf, type CallerResponse } from '../../support/caller.ts'
import { until } from '../../support/until.ts'
import { patienceMs } from './scene.ts'

/** Keys that change while the standby gets nothing. */
export interface LostKeys {
  /** Revokes all but one, and limits that one. The standby must get nothing. */
  change(): Promise<void>
  /**
   * Uses the revoked keys at every API as soon as the database responds, and waits until they are revoked there again
   * and the other change is in the audit log. Returns how often a revoked key was accepted.
   */
  check(): Promise<{
    readonly revokedAgain: number
    readonly setBack: number
    readonly letIn: number
  }>
}

const revokedCount = 5

/** Creates the keys, and uses each at every API. */
export async function makeLostKeys({ api, apis, database }: System): Promise<LostKeys> {
  const callers = apis.map(callerOf)
  const [caller] = callers as [(typeof callers)[number]]
  const { token } = await (await api.makeTenant()).makeKey()
  const made: { id: string; token: string }[] = []
  for (let number = 0; number <= revokedCount; number++) {
    const body = { name: `lost ${number}`, scopes: ['webhooks:read'] }
    const response = await caller.call('post', '/api-keys', { token, body })
    made.push({ id: response.body.key.id, token: response.body.token })
  }
  const [limited, ...revoked] = made as [(typeof made)[number], ...typeof made]
  const use = (own: string) =>
    Promise.all(callers.map((each) => settled(() => each.call('get', '/webhooks', { token: own }))))
  for (const key of made) await use(key.token)

  return {
    async change() {
      for (const { id } of revoked) {
        const { status } = await caller.call('delete', `/api-keys/${id}`, { token })
        expect(status).toBe(204)
      }
      const body = { rate_limit_per_minute: 100 }
      const { status } = await caller.call('patch', `/api-keys/${limited.id}`, { token, body })
      expect(status).toBe(200)
    },
    async check() {
      let letIn = 0
      const useAll = async (): Promise<void> => {
        const responses = (await Promise.all(revoked.map((key) => use(key.token)))).flat()
        letIn += responses.filter(({ status }) => status !== 401).length
      }
      const findEntries = async (action: string): Promise<string[]> => {
        await useAll()
        const { rows } = await database.pool.query<{ id: string }>(
          `SELECT target_id AS id FROM audit_events WHERE action = $1 AND details->>'cause' = 'failover'`,
          [action],
        )
        return rows.map(({ id }) => id).toSorted()
      }
      const isThere = (ids: string[]): boolean => ids.length > 0
      const isAll = (ids: string[]): boolean => ids.length >= revokedCount
      const again = await until(() => findEntries('api_key.revoke'), isAll, patienceMs)
      expect(again).toEqual(revoked.map(({ id }) => id).toSorted())
      const setBack = await until(() => findEntries('api_key.set_back'), isThere, patienceMs)
      expect(setBack).toEqual([limited.id])
      return { revokedAgain: again.length, setBack: setBack.length, letIn }
    },
  }
}

/** Repeats a request while the database is away. */
const settled = (ask: () => Promise<CallerResponse>): Promise<CallerResponse> =>
  until(ask, ({ status }) => status !== 503, patienceMs)
