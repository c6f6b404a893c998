import {
  checkKeyCounts,
  checkKeyPolicy,
  createKeyToken,
  formatKeyToken,
  hashKeySecret,
  rateLimitMax,
} from '@hosting/core/api-keys'
import { currentTime } from '@hosting/core/clock'
import {
  approvalHolds,
  approvalRefusals,
  checkApproval,
  decideDevicePoll,
  hashDeviceCode,
  isDeviceCode,
  type ApprovalRefusal,
} from '@hosting/core/device-login'
import { Problem } from '@hosting/core/problems'
import { intersectScopes, type Scope } from '@hosting/core/scopes'
import { isSecondFactorInForce } from '@hosting/core/sessions'
import {
  createApiKey,
  holdKeyPolicy,
  lockKeyCounts,
  type ApiKeyRow,
} from '@hosting/postgres/api-keys'
import { appendAuditEvent, type AuditActor } from '@hosting/postgres/audit'
import {
  deliverDeviceLogin,
  storeDenial,
  findDeviceLogin,
  lockDeviceApprover,
  markDevicePoll,
  type DeviceAccess,
  type DeviceApprover,
  type DeviceLoginRow,
} from '@hosting/postgres/device-login'
import { lockAccounts } from '@hosting/postgres/directory'
import { holdSecurityPolicy } from '@hosting/postgres/sessions'
import { inWork, refuse, type Work } from '../work.ts'
import { toKeyRecord } from '../records/api-key.ts'
import type { Needs } from '../services.ts'
import { settingsOf } from './api-keys.ts'
import { deviceKeyUnder } from './key-policy.ts'

/** A poll of a device login. */
export interface DevicePoll {
  readonly deviceCode: string
  /** The client that polls at the OAuth endpoint. It may repeat a poll within a second. */
  readonly clientId?: string
  readonly ip: string
  readonly requestId: string
}

/**
 * Polls a device login: returns the key once it is approved, to a single poll. If a concurrent decision or
 * poll changed the row, reads it again. The loop ends because a login is decided and delivered only once.
 *
 * @throws Problem with a code of RFC 8628, section 3.5, or `invalid_grant` if the code was issued to another client.
 */
export async function pollDeviceLogin(
  services: Needs<'config' | 'database' | 'log' | 'serverSecret'>,
  poll: DevicePoll,
) {
  const { database, log } = services
  for (;;) {
    const login = await findByDeviceCode(services, poll.deviceCode)
    requireSameClient(login, poll.clientId)
    const decision = decideDevicePoll(login, login?.now ?? currentTime(), {
      allowsRepeats: poll.clientId !== undefined,
    })
    if (decision === 'pending_repeated') throw new Problem('authorization_pending')
    if (decision === 'deliver') {
      const key = await inWork(database, log, (work) =>
        redeem(services, { ...poll, id: login!.id, work }),
      )
      if (key) return key
    } else if (
      decision !== 'authorization_pending' ||
      (await markDevicePoll(database.prisma, login!))
    ) {
      throw decision === 'access_denied' ? denied(login?.refusal) : new Problem(decision)
    }
  }
}

/** RFC 6749, section 5.2: a code that was issued to another client. @throws Problem `invalid_grant` */
function requireSameClient(login: DeviceLoginRow | undefined, clientId: string | undefined): void {
  const issuedTo = login?.clientId ?? undefined
  if (issuedTo !== undefined && clientId !== undefined && issuedTo !== clientId) {
    throw new Problem('invalid_grant', { detail: 'The device code was issued to another client.' })
  }
}

async function findByDeviceCode(
  { database }: Needs<'database'>,
  deviceCode: string,
): Promise<DeviceLoginRow | undefined> {
  if (!isDeviceCode(deviceCode)) return undefined
  return findDeviceLogin(database.prisma, { deviceCodeHash: hashDeviceCode(deviceCode) })
}

/** The redemption of an approved device login. */
interface Redemption extends DevicePoll {
  readonly id: string
  readonly work: Work
}

/**
 * Creates the key of an approved device login if its approver may still grant it; otherwise denies the login.
 * Returns `undefined` if another poll received the key.
 */
async function redeem(services: Needs<'config' | 'serverSecret'>, redemption: Redemption) {
  const { work, id } = redemption
  const token = createKeyToken(services.config.keyPrefix)
  const login = await deliverDeviceLogin(work.tx, id, token.id)
  if (!login) return undefined
  const approver = await lockDeviceApprover(work.tx, login.decidedById!, login.decidedSessionId)
  const { policy, now } = await holdSecurityPolicy(work.tx, approver.tenant.id)
  const held = await holdKeyPolicy(work.tx, approver.tenant.id)
  const restricted = deviceKeyUnder(held)
  const { roles } = approver
  const { ip: requestedFrom, decidedIp } = login
  const refusal =
    checkApproval(policy, { roles, ip: decidedIp!, requestedFrom }) ??
    (isSecondFactorInForce(policy, now) && approver.missingSecondFactor !== null
      ? 'second_factor'
      : undefined) ??
    (checkKeyPolicy(held.policy, restricted).length > 0 ? 'key_policy' : undefined)
  const isAllowed =
    refusal === undefined &&
    approvalHolds(approver, login.approverMark!) &&
    (await hasRoom(work, { login, approver }))
  if (!isAllowed) {
    await withdraw(redemption, approver, refusal)
    return refuse(denied(refusal), { commit: true })
  }
  const row = await createApiKey(work.tx, {
    ...deviceKeyOf(login, approver, restricted),
    id: token.id,
    secretHash: hashKeySecret(services.serverSecret, token),
  })
  await recordKey(redemption, approver, row)
  const { slug, name } = approver.tenant
  return {
    token: formatKeyToken(token),
    key: toKeyRecord(row, services.config),
    tenant: { slug, name },
    user: approver.user,
  }
}

/** Names the policy that refuses the login, if it is one, so that the person at the device learns it. */
const denied = (refusal: ApprovalRefusal | null | undefined): Problem =>
  new Problem('access_denied', refusal ? { detail: approvalRefusals[refusal] } : {})

/** Locks what the new key depends on: its accounts, and the number of keys of its user and organization. */
async function hasRoom(
  { tx }: Work,
  { login, approver }: { login: DeviceLoginRow; approver: DeviceApprover },
): Promise<boolean> {
  const [tenantId, userId] = [approver.tenant.id, approver.user.id]
  await lockAccounts(tx, { tenantId, userId: undefined, ids: login.accounts })
  return checkKeyCounts(await lockKeyCounts(tx, { tenantId, userId })) === undefined
}

const scopesOf: Readonly<Record<DeviceAccess, readonly Scope[]>> = {
  full: ['*'],
  read_only: ['*:read'],
}

/** The scopes that the person approved, as far as the client requested them. */
const grantedScopes = ({ access, requestedScopes }: DeviceLoginRow): readonly Scope[] =>
  requestedScopes.length === 0
    ? scopesOf[access!]
    : intersectScopes(scopesOf[access!], requestedScopes)

const deviceKeyOf = (
  login: DeviceLoginRow,
  { user, tenant }: DeviceApprover,
  { kind, createdAt, expiresAt }: ReturnType<typeof deviceKeyUnder>,
) => ({
  tenantId: tenant.id,
  userId: user.id,
  createdById: user.id,
  kind,
  source: 'device' as const,
  name: `CLI: ${login.clientName}`,
  scopes: grantedScopes(login),
  accounts: login.accounts,
  createdAt,
  expiresAt,
  rateLimitPerMinute: rateLimitMax,
})

/** The actor is the person who approved; the address is that of the client that received the key. */
const recordKey = (
  { work, id, ip, requestId }: Redemption,
  { user, tenant }: DeviceApprover,
  row: ApiKeyRow,
): Promise<void> =>
  appendAuditEvent(work.tx, {
    tenantId: tenant.id,
    action: 'api_key.create',
    outcome: 'success',
    actor: { type: 'user', id: user.id, name: user.name, keyId: null },
    target: { type: 'api_key', id: row.id },
    ip,
    requestId,
    details: { ...settingsOf(row), source: row.source, device_request_id: id },
  })

async function withdraw(
  { work, id, ip, requestId }: Redemption,
  { tenant }: DeviceApprover,
  refusal: ApprovalRefusal | undefined,
): Promise<void> {
  await storeDenial(work.tx, id, refusal)
  await appendAuditEvent(work.tx, {
    tenantId: tenant.id,
    action: 'device.refuse',
    outcome: 'refused',
    reason: 'access_denied',
    actor: theService,
    target: { type: 'device_request', id },
    ip,
    requestId,
    ...(refusal !== undefined && { details: { cause: refusal } }),
  })
}

const theService: AuditActor = { type: 'system', id: null, name: null, keyId: null }
