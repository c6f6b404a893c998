import { dayMs } from '@hosting/core/clock'
import { conflict, validationFailed } from '@hosting/core/problems'
import {
  isSecondFactorInForce,
  secondFactorDaysMax,
  type SecurityPolicy,
  type DeviceLoginRule,
} from '@hosting/core/sessions'
import {
  hasSecondFactor,
  holdSecurityPolicy,
  putSecurityPolicy,
  findPolicyReach,
  type PolicyReach,
} from '@hosting/postgres/sessions'
import type { Caller, SessionCaller } from '../access/caller.ts'
import type { Needs } from '../services.ts'
import { recordChange, type RequestContext } from './audit.ts'

/**
 * Replaces the security policy of the caller's organization.
 *
 * @throws Problem `validation_failed` for a date too far ahead; `conflict` to require a second factor that the caller
 *   does not have.
 */
export async function changeSecurityPolicy(
  context: RequestContext<SessionCaller>,
  policy: SecurityPolicy,
) {
  const { caller, work } = context
  const tenantId = caller.tenant.id
  const before = await putSecurityPolicy(work.tx, tenantId, policy)
  const { now } = await holdSecurityPolicy(work.tx, tenantId)
  const { secondFactorFrom } = policy
  if (
    secondFactorFrom &&
    secondFactorFrom.getTime() > now.getTime() + secondFactorDaysMax * dayMs
  ) {
    const message = `must be at most ${secondFactorDaysMax} days ahead`
    throw validationFailed({ pointer: '/second_factor_from', message })
  }
  if (policy.secondFactorRequired && !(await hasSecondFactor(work.tx, caller.user.id))) {
    throw conflict('you have no second factor yourself. Set one up first.')
  }
  await recordChange(context, {
    action: 'security_policy.update',
    target: { type: 'tenant', id: tenantId },
    details: { before: toSecurityPolicyRecord(before), after: toSecurityPolicyRecord(policy) },
  })
  return { policy: toSecurityPolicyRecord(policy) }
}

/** Names of people that the page of the policy shows. */
const namesMax = 20

/** The people of the caller's organization whom a security policy can affect. */
export const readPolicyReach = (
  { database }: Needs<'database'>,
  { tenant }: Pick<Caller, 'tenant'>,
): Promise<PolicyReach> => findPolicyReach(database.prisma, tenant.id, namesMax)

/**
 * Requires, after a factor of the caller was removed, that they still have the second factor that their organization
 * requires. The transaction holds the caller's row, so that of two removals of the last two factors one is refused.
 *
 * @throws Problem `conflict`
 */
export async function requireSecondFactorKept({
  caller,
  work,
}: RequestContext<SessionCaller>): Promise<void> {
  const { policy, now } = await holdSecurityPolicy(work.tx, caller.tenant.id)
  if (!isSecondFactorInForce(policy, now)) return
  if (await hasSecondFactor(work.tx, caller.user.id)) return
  const reason =
    'the organization requires a second factor, and this is your last one. Set up another one first.'
  throw conflict(reason)
}

export type { PolicyReach } from '@hosting/postgres/sessions'

/** A security policy as the API returns it. */
export const toSecurityPolicyRecord = (policy: SecurityPolicy) => ({
  second_factor_required: policy.secondFactorRequired,
  second_factor_from: policy.secondFactorFrom?.toISOString() ?? null,
  device_login: policy.deviceLogin,
  device_login_same_network: policy.deviceLoginSameNetwork,
})

/** Converts a policy from the API's format. */
export const toSecurityPolicy = (
  record: ReturnType<typeof toSecurityPolicyRecord> & { readonly device_login: DeviceLoginRule },
): SecurityPolicy => ({
  secondFactorRequired: record.second_factor_required,
  secondFactorFrom: record.second_factor_from === null ? null : new Date(record.second_factor_from),
  deviceLogin: record.device_login,
  deviceLoginSameNetwork: record.device_login_same_network,
})
