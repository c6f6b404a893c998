import { conflict, Problem, validationFailed } from '@hosting/core/problems'
import {
  checkConditions,
  checkIssuer,
  isSingleUseIssuer,
  keyIdOfAudience,
  tokenLifetimeSecondsDefault,
  type WorkloadConditions,
} from '@hosting/core/workloads'
import {
  endTokens,
  isAudienceOfKey,
  takeAudience,
  updateWorkloadIdentity,
  type ApiKeyRow,
  type NewWorkloadIdentity,
} from '@hosting/postgres/api-keys'
import { type Transaction } from '@hosting/postgres/database'
import type { Caller } from '../access/caller.ts'
import type { WorkloadChange, WorkloadFields } from '../schemas/api-key.ts'
import type { Needs } from '../services.ts'

/** Reads what the schema cannot check. @throws Problem `validation_failed` */
export function readWorkload(
  { addressPolicy }: Needs<'addressPolicy'>,
  kind: 'personal' | 'organization',
  { issuer, conditions, token_lifetime_seconds, single_use, audience }: WorkloadFields,
): NewWorkloadIdentity {
  if (kind !== 'organization') {
    throw validationFailed({
      pointer: '/workload',
      message: 'is only allowed for organization keys',
    })
  }
  const message = checkIssuer(issuer, { allowsHttp: addressPolicy.allowsPrivate })
  if (message) throw validationFailed({ pointer: '/workload/issuer', message })
  requireConditions(issuer, conditions)
  return {
    issuer,
    conditions,
    tokenLifetimeSeconds: token_lifetime_seconds ?? tokenLifetimeSecondsDefault,
    singleUse: single_use ?? isSingleUseIssuer(issuer),
    audience: audience ?? null,
  }
}

/**
 * Requires that no other key of the issuer has the audience that was chosen for a new key, which the transaction has
 * created.
 *
 * @throws Problem `conflict`
 */
export async function requireOwnAudience(
  { config }: Needs<'config'>,
  tx: Transaction,
  { id, workload }: { id: string; workload: NewWorkloadIdentity },
): Promise<void> {
  const { audience, issuer } = workload
  if (audience === null) return
  const keyId = keyIdOfAudience(config, audience)
  const isTaken = keyId !== undefined && (await isAudienceOfKey(tx, { keyId, issuer }))
  if (isTaken || !(await takeAudience(tx, id, { audience, issuer }))) {
    throw conflict('another workload key of this issuer has the audience.')
  }
}

/** A change that was checked. */
export interface CheckedWorkloadChange {
  readonly conditions: WorkloadConditions | undefined
  readonly tokenLifetimeSeconds: number | undefined
  readonly singleUse: boolean | undefined
  /** Whether it lets other workloads in, or makes tokens live longer. */
  readonly widens: boolean
}

/** Checks a change of a workload key. @throws Problem `api_key_not_allowed`, `validation_failed` */
export function readWorkloadChange(
  { key: callingKey }: Caller,
  { workload }: ApiKeyRow,
  {
    conditions,
    token_lifetime_seconds: tokenLifetimeSeconds,
    single_use: singleUse,
  }: WorkloadChange,
): CheckedWorkloadChange {
  if (callingKey) throw new Problem('api_key_not_allowed')
  if (!workload) {
    throw validationFailed({ pointer: '/workload', message: 'the key is no workload key' })
  }
  if (conditions) requireConditions(workload.issuer, conditions)
  const isOther =
    conditions !== undefined && !isSame(conditions, workload.conditions as WorkloadConditions)
  return {
    conditions: isOther ? conditions : undefined,
    tokenLifetimeSeconds,
    singleUse,
    widens: isOther || (tokenLifetimeSeconds ?? 0) > workload.tokenLifetimeSeconds,
  }
}

/** Stores a change. Other conditions end all tokens of the key, which the transaction has locked. */
export async function changeWorkload(
  tx: Transaction,
  keyId: string,
  { conditions, tokenLifetimeSeconds, singleUse }: CheckedWorkloadChange,
): Promise<void> {
  await updateWorkloadIdentity(tx, keyId, {
    ...(conditions && { conditions }),
    ...(tokenLifetimeSeconds !== undefined && { tokenLifetimeSeconds }),
    ...(singleUse !== undefined && { singleUse }),
  })
  if (conditions) await endTokens(tx, keyId)
}

function isSame(one: WorkloadConditions, other: WorkloadConditions): boolean {
  const sorted = (conditions: WorkloadConditions): string =>
    JSON.stringify(Object.entries(conditions).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return sorted(one) === sorted(other)
}

/** @throws Problem `validation_failed` */
function requireConditions(issuer: string, conditions: WorkloadConditions): void {
  const errors = checkConditions(issuer, conditions)
  if (errors.length === 0) return
  const toMember = ({ pointer, message }: (typeof errors)[number]) => ({
    pointer: `/workload/conditions${pointer}`,
    message,
  })
  throw validationFailed(...errors.map(toMember))
}
