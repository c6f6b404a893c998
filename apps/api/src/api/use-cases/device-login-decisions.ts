import { checkKeyCounts } from '@hosting/core/api-keys'
import {
  approvalRefusals,
  checkApproval,
  decideUserCodeGuess,
  hashUserCode,
  passwordFingerprint,
  readUserCode,
  statusOfDeviceLogin,
  wrongUserCodeWindowMs,
} from '@hosting/core/device-login'
import { conflict, notFound, Problem, rateLimited } from '@hosting/core/problems'
import { rolesPermit } from '@hosting/core/scopes'
import { countKeys, holdKeyPolicy } from '@hosting/postgres/api-keys'
import {
  addWrongUserCode,
  decideDeviceLogin,
  findDeviceLogin,
  lockDeviceApprover,
  lockUserCodeGuesses,
  type DeviceAccess,
  type DeviceApprover,
  type DeviceDecision,
  type DeviceLoginRow,
} from '@hosting/postgres/device-login'
import { holdSecurityPolicy } from '@hosting/postgres/sessions'
import { personIdOf, type SessionCaller } from '../access/caller.ts'
import { inWork, CommittedProblem, refuse, type Work } from '../work.ts'
import type { Needs } from '../services.ts'
import { recordChange, type RequestContext } from './audit.ts'
import { deviceKeyUnder, requireKeyPolicy } from './key-policy.ts'
import { readAccounts } from './key-accounts.ts'

// What a signed-in person can do with a device login. Each function throws `not_found` for an unknown user
// code, and `rate_limited` for any code after five unknown ones.

/** Returns the device login with a user code, without changing it. */
export async function showDeviceLogin(
  services: Needs<'database' | 'log' | 'serverSecrets'>,
  { caller, userCode }: { caller: SessionCaller; userCode: string },
) {
  const { database, log } = services
  const row = await inWork(database, log, (work) =>
    findByUserCode(services, { caller, work }, userCode),
  )
  return { request: toDeviceLoginRecord(row) }
}

/**
 * Approves a device login for the caller: its next poll receives a key. The route checks that the caller has
 * confirmed their identity recently.
 *
 * @throws Problem `permission_denied` by the role or the security policy, `validation_failed` for its accounts, `api_key_policy_violation` if the
 *   organization does not allow keys of device logins, `api_key_limit_reached`, or `conflict` if it was already decided
 *   or has expired, or the security policy refuses it.
 */
export async function approveDeviceLogin(
  services: Needs<'serverSecrets'>,
  context: RequestContext<SessionCaller>,
  { userCode, access, accounts }: DeviceApproval,
) {
  const { caller, work } = context
  const approver = await lockDeviceApprover(work.tx, caller.user.id, caller.session.id)
  if (!approver.active || !rolesPermit(approver.roles, 'apikeys.create')) {
    throw new Problem('permission_denied', { facts: { permission: 'apikeys.create' } })
  }
  const login = await findByUserCode(services, context, userCode)
  if (login instanceof CommittedProblem) return login
  requirePending(login)
  await requireSecurityPolicy(context, approver, login)
  const owners = { tenantId: approver.tenant.id, userId: approver.user.id }
  const user = { id: owners.userId, tenantId: owners.tenantId, roles: approver.roles }
  const approval = {
    access,
    accounts: await readAccounts(work.tx, user, accounts),
    mark: passwordFingerprint(approver.passwordHash),
  }
  await requireKeyPolicyFor(work.tx, owners.tenantId)
  const response = await decide(context, login, approval)
  // Not exact while other keys are created: the redemption checks it with a lock.
  const problem = checkKeyCounts(await countKeys(work.tx, owners))
  if (problem) throw problem
  return response
}

/** A person's approval of a device login. */
export interface DeviceApproval {
  readonly userCode: string
  readonly access: DeviceAccess
  /** The ids of the accounts that the key is limited to; without them it is not limited. */
  readonly accounts?: readonly string[] | null | undefined
}

/**
 * Denies a device login: no key is created for it.
 *
 * @throws Problem `conflict` if it was already decided or has expired.
 */
export async function denyDeviceLogin(
  services: Needs<'serverSecrets'>,
  context: RequestContext<SessionCaller>,
  userCode: string,
) {
  const login = await findByUserCode(services, context, userCode)
  if (login instanceof CommittedProblem) return login
  return decide(context, login, undefined)
}

/** Wrong codes count for the signed-in person even while impersonating, and even though the request fails. */
async function findByUserCode(
  { serverSecrets }: Needs<'serverSecrets'>,
  { caller, work }: { caller: SessionCaller; work: Work },
  text: string,
): Promise<DeviceLoginRow | CommittedProblem> {
  const { tx } = work
  const personId = personIdOf(caller)
  const { wrongAt, now } = await lockUserCodeGuesses(tx, personId, wrongUserCodeWindowMs)
  const waitMs = decideUserCodeGuess(wrongAt, now)
  if (waitMs !== undefined) throw rateLimited(waitMs)
  const userCode = readUserCode(text)
  const userCodeHashes =
    userCode === undefined ? [] : serverSecrets.map((secret) => hashUserCode(secret, userCode))
  const login = await findDeviceLogin(tx, { userCodeHashes })
  if (login) return login
  await addWrongUserCode(tx, personId, now)
  return refuse(notFound(), { commit: true })
}

/** @throws Problem `conflict` if it was decided or has expired. */
function requirePending(login: DeviceLoginRow): void {
  if (statusOfDeviceLogin(login, login.now) !== 'pending') throw alreadyDecided(login)
}

function alreadyDecided(login: Pick<DeviceLoginRow, 'status' | 'expiresAt' | 'now'>): Problem {
  const expired = statusOfDeviceLogin(login, login.now) === 'expired'
  const reason = expired ? 'the request has expired.' : 'the request was already decided.'
  return conflict(reason)
}

/** Requires that the security policy allows the approval. @throws Problem `permission_denied` or `conflict` */
async function requireSecurityPolicy(
  { work, ip }: RequestContext<SessionCaller>,
  { roles, tenant }: DeviceApprover,
  { ip: requestedFrom }: DeviceLoginRow,
): Promise<void> {
  const { policy } = await holdSecurityPolicy(work.tx, tenant.id)
  const refusal = checkApproval(policy, { roles, ip, requestedFrom })
  if (refusal === undefined) return
  if (refusal === 'not_admin') {
    throw new Problem('permission_denied', { detail: approvalRefusals[refusal] })
  }
  throw conflict(approvalRefusals[refusal])
}

/** Requires that the key of a device login complies with the policy. @throws Problem */
async function requireKeyPolicyFor(tx: Work['tx'], tenantId: string): Promise<void> {
  const held = await holdKeyPolicy(tx, tenantId)
  requireKeyPolicy(held.policy, deviceKeyUnder(held))
}

async function decide(
  context: RequestContext<SessionCaller>,
  { id, ...before }: DeviceLoginRow,
  approval: DeviceDecision['approval'],
) {
  const { caller, ip, work } = context
  const row = await decideDeviceLogin(work.tx, id, {
    userId: caller.user.id,
    sessionId: caller.session.id,
    ip,
    approval,
  })
  if (!row) throw alreadyDecided(before)
  await recordChange(context, {
    action: approval ? 'device.approve' : 'device.refuse',
    target: { type: 'device_request', id },
    details: {
      client_name: row.clientName,
      requested_from: row.ip,
      ...(approval && {
        access: approval.access,
        ...(row.requestedScopes.length > 0 && { requested_scopes: row.requestedScopes }),
        accounts: approval.accounts.length > 0 ? approval.accounts : null,
      }),
    },
  })
  return { request: toDeviceLoginRecord(row) }
}

/** A device login as its approver sees it. */
const toDeviceLoginRecord = (row: DeviceLoginRow) => ({
  client_name: row.clientName,
  ip: row.ip,
  user_agent: row.userAgent,
  created_at: row.createdAt,
  expires_at: row.expiresAt,
  status: statusOfDeviceLogin(row, row.now),
  ...(row.requestedScopes.length > 0 && { scopes: row.requestedScopes }),
})
