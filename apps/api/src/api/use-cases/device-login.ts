import { createKeyToken, formatKeyToken, hashKeySecret, rateLimitMax } from '@hosting/core/api-keys'
import { currentTime } from '@hosting/core/clock'
import { publicUrlOf, type Config } from '@hosting/core/configuration'
import {
  createDeviceCode,
  createUserCode,
  decideDevicePoll,
  decideDeviceStart,
  denialCauses,
  deviceCodeLifetimeMs,
  devicePollIntervalMs,
  hashDeviceCode,
  hashUserCode,
  isDeviceCode,
  readClientName,
  type DenialCause,
} from '@hosting/core/device-login'
import { addressGroup } from '@hosting/core/network'
import { Problem, rateLimited, validationFailed } from '@hosting/core/problems'
import { intersectScopes, type Scope } from '@hosting/core/scopes'
import { createApiKey, lockKeyCounts, type ApiKeyRow } from '@hosting/postgres/api-keys'
import { appendAuditEvent, type AuditActor } from '@hosting/postgres/audit'
import {
  createDeviceLogin,
  deliverDeviceLogin,
  findDeviceLogin,
  findDeviceStarts,
  lockDeviceApprover,
  lockDeviceStarts,
  markDevicePoll,
  storeDenial,
  type DeviceAccess,
  type DeviceApprover,
  type DeviceLoginRow,
  type DeviceStarts,
} from '@hosting/postgres/device-login'
import { lockAccounts } from '@hosting/postgres/directory'
import { CommittedProblem, inWork, type Work } from '../work.ts'
import { toKeyRecord } from '../records/api-key.ts'
import type { Needs } from '../services.ts'
import { settingsOf } from './api-keys.ts'
import { grantOf } from './device-login-approval.ts'
import type { deviceKeyUnder } from './key-policy.ts'

// What the client does with a device login.

/** The client that starts a device login. */
export interface DeviceStart {
  readonly clientName: string
  /** The client that alone can poll. Default: any client that has the device code. */
  readonly clientId?: string
  /** The scopes to which the client limits the key. Default: the decision of the person alone limits it. */
  readonly requestedScopes?: readonly Scope[] | null
  readonly ip: string
  readonly userAgent: string
  readonly work: Work
}

/**
 * Starts a device login. Only this response holds its codes.
 *
 * @throws Problem `validation_failed` for the client's name, or `rate_limited` for its address.
 */
export async function startDeviceLogin(
  { serverSecret, config }: Needs<'config' | 'serverSecret'>,
  { clientName, clientId, requestedScopes = null, ip, userAgent, work: { tx } }: DeviceStart,
) {
  const parsed = readClientName(clientName)
  if ('error' in parsed) throw validationFailed({ pointer: '/client_name', message: parsed.error })
  const group = addressGroup(ip)
  // First checked without the lock, so that a flood of requests does not occupy connections.
  requireFewStarts(await findDeviceStarts(tx, group))
  const starts = await lockDeviceStarts(tx, group)
  requireFewStarts(starts)
  const deviceCode = createDeviceCode()
  const userCode = await storeWithUserCode(serverSecret, (userCodeHash) =>
    createDeviceLogin(tx, {
      deviceCodeHash: hashDeviceCode(deviceCode),
      userCodeHash,
      clientName: parsed.name,
      clientId: clientId ?? null,
      requestedScopes: requestedScopes ?? [],
      ip,
      addressGroup: group,
      userAgent,
      createdAt: starts.now,
      expiresAt: new Date(starts.now.getTime() + deviceCodeLifetimeMs),
    }),
  )
  const page = devicePageOf(config)
  return {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${userCode}`,
    expires_in: deviceCodeLifetimeMs / 1_000,
    interval: devicePollIntervalMs / 1_000,
  }
}

function requireFewStarts({ earlier, now }: DeviceStarts): void {
  const waitMs = decideDeviceStart(earlier, now)
  if (waitMs !== undefined) throw rateLimited(waitMs)
}

/** User codes are short. If another login has the same code, tries another one. */
async function storeWithUserCode(
  serverSecret: Buffer,
  store: (userCodeHash: Buffer) => Promise<boolean>,
): Promise<string> {
  for (let triesLeft = userCodeTriesMax; triesLeft > 0; triesLeft--) {
    const userCode = createUserCode()
    if (await store(hashUserCode(serverSecret, userCode))) return userCode
  }
  throw new Error('no free user code was found')
}

const userCodeTriesMax = 3

/** The page where people enter user codes. */
const devicePageOf = (config: Config): string => `${publicUrlOf(config)}/device`

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
      throw decision === 'access_denied' ? denied(login?.denialCause) : new Problem(decision)
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
  const tenantId = approver.tenant.id
  const grant = await grantOf(work.tx, approver, {
    ip: login.decidedIp!,
    requestedFrom: login.ip,
    mark: login.approverMark!,
    async readAccounts() {
      await lockAccounts(work.tx, { tenantId, userId: undefined, ids: login.accounts })
      return login.accounts
    },
    countKeys: lockKeyCounts,
  })
  if ('problem' in grant) {
    await withdraw(redemption, approver, grant.cause)
    return new CommittedProblem(denied(grant.cause))
  }
  const row = await createApiKey(work.tx, {
    ...deviceKeyOf(login, approver, grant.key),
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

/** Names the policy that denies the login, if it is one, so that the person at the device learns it. */
const denied = (cause: DenialCause | null | undefined): Problem =>
  new Problem('access_denied', cause ? { detail: denialCauses[cause] } : {})

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
  cause: DenialCause | undefined,
): Promise<void> {
  await storeDenial(work.tx, id, cause)
  await appendAuditEvent(work.tx, {
    tenantId: tenant.id,
    action: 'device.refuse',
    outcome: 'refused',
    reason: 'access_denied',
    actor: theService,
    target: { type: 'device_request', id },
    ip,
    requestId,
    ...(cause !== undefined && { details: { cause } }),
  })
}

const theService: AuditActor = { type: 'system', id: null, name: null, keyId: null }
