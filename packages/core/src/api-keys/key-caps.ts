import { Problem } from '../problems/problem.ts'
import { keysPerOrganizationMax, keysPerUserMax } from './limits.ts'

/** The numbers of keys that are neither revoked nor expired. Disabled keys count. */
export interface KeyCounts {
  readonly ofUser: number
  readonly ofOrganization: number
}

/**
 * Checks whether another key may be created (docs/specification/api-keys.md#caps).
 *
 * @returns `api_key_limit_reached`, or `undefined` if there is room for another key.
 */
export function checkKeyCounts({ ofUser, ofOrganization }: KeyCounts): Problem | undefined {
  if (ofUser >= keysPerUserMax) return limitReached('the user', keysPerUserMax)
  if (ofOrganization >= keysPerOrganizationMax) {
    return limitReached('the organization', keysPerOrganizationMax)
  }
  return undefined
}

const limitReached = (owner: string, max: number): Problem =>
  new Problem('api_key_limit_reached', { facts: { owner, max: String(max) } })
