import { checkKeyCounts, checkKeyPolicy, type KeyCounts } from '@hosting/core/api-keys'
import {
  approvalHolds,
  checkApproval,
  decideUserCodeGuess,
  denialCauses,
  hashUserCode,
  passwordFingerprint,
  readUserCode,
  statusOfDeviceLogin,
  wrongUserCodeWindowMs,
  type DenialCause,
} from '@hosting/core/device-login'
import { conflict, notFound, Problem, rateLimited } from '@hosting/core/problems'
import { rolesPermit } from '@hosting/core/scopes'
import { isSecondFactorInForce } from '@hosting/core/sessions'
import { countKeys, holdKeyPolicy, type KeyOwners } from '@hosting/postgres/api-keys'
import type { Transaction } from '@hosting/postgres/database'
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
import { inWork, CommittedProblem, type Work } from '../work.ts'
import type { Needs } from '../services.ts'
import { recordChange, type RequestContext } from './audit.ts'
import { deviceKeyUnder } from './key-policy.ts'
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
  const { caller, ip, work } = context
  const approver = await lockDeviceApprover(work.tx, caller.user.id, caller.session.id)
  if (!approver.active || !rolesPermit(approver.roles, 'apikeys.create')) throw mayNotCreateKeys()
  const login = await findByUserCode(services, context, userCode)
  if (login instanceof CommittedProblem) return login
  requirePending(login)
  const { tenant, user, roles } = approver
  const mark = passwordFingerprint(approver.passwordHash)
  const grant = await grantOf(work.tx, approver, {
    ip,
    requestedFrom: login.ip,
    mark,
    readAccounts: () =>
      readAccounts(work.tx, { id: user.id, tenantId: tenant.id, roles }, accounts),
    // Not exact while other keys are created: the poll that receives the key counts with a lock.
    countKeys,
  })
  if ('problem' in grant) throw grant.problem
  return decide(context, login, { access, accounts: grant.accounts, mark })
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
  return new CommittedProblem(notFound())
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

/** An approval that is checked: when the person gives it, and again when the client receives the key. */
interface CheckedApproval {
  /** The address of the approver at the approval. */
  readonly ip: string
  /** The address that started the device login. */
  readonly requestedFrom: string
  /** The fingerprint of the approver's password at the approval. */
  readonly mark: Uint8Array
  /** Reads the accounts that the key is limited to, and locks them. */
  readAccounts(): Promise<readonly string[]>
  countKeys(tx: Transaction, owners: KeyOwners): Promise<KeyCounts>
}

/** What the key of a device login gets. */
interface Grant {
  readonly key: ReturnType<typeof deviceKeyUnder>
  readonly accounts: readonly string[]
}

/** Why a device login gets no key. */
interface Denial {
  /** For the approver. */
  readonly problem: Problem
  /** The policy that does not allow the key, if it is one. */
  readonly cause?: DenialCause
}

/**
 * Checks an approval against the current policies, approver, accounts and numbers of keys
 * (docs/specification/device-login.md#approval). The policies stay as they are until the transaction ends.
 */
export async function grantOf(
  tx: Transaction,
  approver: DeviceApprover,
  { ip, requestedFrom, mark, ...approval }: CheckedApproval,
): Promise<Grant | Denial> {
  const { roles, tenant, user, missingSecondFactor } = approver
  const { policy, now } = await holdSecurityPolicy(tx, tenant.id)
  const lacksFactor = isSecondFactorInForce(policy, now) && missingSecondFactor !== null
  const cause =
    checkApproval(policy, { roles, ip, requestedFrom }) ??
    (lacksFactor ? 'second_factor' : undefined)
  if (cause !== undefined) return { cause, problem: problemOfPolicy(cause) }
  const accounts = await approval.readAccounts()
  const held = await holdKeyPolicy(tx, tenant.id)
  const key = deviceKeyUnder(held)
  const errors = checkKeyPolicy(held.policy, key)
  if (errors.length > 0) {
    return { cause: 'key_policy', problem: new Problem('api_key_policy_violation', { errors }) }
  }
  if (!approvalHolds(approver, mark)) return { problem: mayNotCreateKeys() }
  const owners = { tenantId: tenant.id, userId: user.id }
  const problem = checkKeyCounts(await approval.countKeys(tx, owners))
  return problem ? { problem } : { key, accounts }
}

const problemOfPolicy = (cause: DenialCause): Problem =>
  cause === 'not_admin'
    ? new Problem('permission_denied', { detail: denialCauses[cause] })
    : conflict(denialCauses[cause])

const mayNotCreateKeys = (): Problem =>
  new Problem('permission_denied', { facts: { permission: 'apikeys.create' } })

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
