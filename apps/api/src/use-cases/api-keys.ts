import {
  checkKeyCounts,
  createKeySecret,
  createKeyToken,
  createUuidv7,
  currentTime,
  decideRotation,
  formatKeyToken,
  hashKeySecret,
  Problem,
  rateLimitDefault,
  toAllowlist,
  validSecretsMax,
  widerAspect,
  type KeyReach,
  type Scope,
} from '@hosting/core'
import {
  createApiKey,
  createServiceUser,
  holdKeyPolicy,
  lockKeyCounts,
  rotateApiKey,
  updateApiKey,
  type ApiKeyRow,
} from '@hosting/postgres'
import type { Caller } from '../http/caller.ts'
import { checkSession } from '../http/check-access.ts'
import { toKeyRecord } from '../records/api-key.ts'
import type { Services } from '../services.ts'
import { recordChange, type RequestContext } from './audit.ts'
import { getVisibleKey, lockVisibleKey, requireKeyManager, requireManages } from './key-access.ts'
import { readAccounts, serviceRoles } from './key-accounts.ts'
import { announceKeyChange } from './key-changes.ts'
import { readAllowlist, readExpiry, readScopes } from './key-fields.ts'
import { requireKeyPolicy, restrictedOf } from './key-policy.ts'

/** The settings of a new key. */
export interface KeyFields {
  readonly name: string
  readonly scopes: readonly string[]
  readonly kind?: 'personal' | 'organization'
  readonly expires_at?: string | null
  readonly ip_allowlist?: readonly string[] | null
  readonly accounts?: readonly string[] | null
  readonly rate_limit_per_minute?: number
}

/** Creates a key. Only this response holds its token. */
export async function createKey(services: Services, context: RequestContext, fields: KeyFields) {
  const { caller, work } = context
  const { name, kind = 'personal' } = fields
  requireMayCreate(caller, kind)
  const tenantId = caller.tenant.id
  const userId = kind === 'personal' ? caller.user.id : createUuidv7()
  const roles = kind === 'personal' ? caller.user.roles : serviceRoles
  const settings = {
    ...readSettings(kind, fields),
    accounts: await readAccounts(work.tx, { id: userId, tenantId, roles }, fields.accounts),
  }
  requireNotWider(caller, reachOf(settings))
  const { policy, now: createdAt } = await holdKeyPolicy(work.tx, tenantId)
  requireKeyPolicy(policy, restrictedOf({ ...settings, createdAt }))
  const problem = checkKeyCounts(await lockKeyCounts(work.tx, { tenantId, userId }))
  if (problem) throw problem
  if (kind === 'organization') await createServiceUser(work.tx, { id: userId, tenantId, name })
  const token = createKeyToken(services.config.keyPrefix)
  const row = await createApiKey(work.tx, {
    ...settings,
    id: token.id,
    secretHash: hashKeySecret(services.serverSecret, token),
    tenantId,
    userId,
    createdById: caller.user.id,
    parentKeyId: caller.key?.id ?? null,
    source: caller.key ? 'api' : 'panel',
    name,
    createdAt,
  })
  await recordChange(context, {
    action: 'api_key.create',
    target: { type: 'api_key', id: token.id },
    details: settingsOf(row),
  })
  return { key: toKeyRecord(row), token: formatKeyToken(token) }
}

/** Reads the settings of a new key that decide its reach, except its accounts. */
const readSettings = (kind: 'personal' | 'organization', fields: KeyFields) => ({
  kind,
  scopes: readScopes(fields.scopes),
  expiresAt: readExpiry(fields.expires_at),
  ipAllowlist: readAllowlist(fields.ip_allowlist),
  rateLimitPerMinute: fields.rate_limit_per_minute ?? rateLimitDefault,
})

/** Repeats the role check of {@link createKey} before its stored response is replayed. @throws Problem */
export function requireMayCreate(caller: Caller, kind: KeyFields['kind'] = 'personal'): void {
  if (kind === 'organization') requireKeyManager(caller)
}

/** The settings of a key that can change. */
export interface KeyChange {
  readonly name?: string
  readonly scopes?: readonly string[]
  readonly ip_allowlist?: readonly string[] | null
  readonly accounts?: readonly string[] | null
  readonly enabled?: boolean
  readonly rate_limit_per_minute?: number
}

/** Updates a key. */
export async function updateKey(
  services: Services,
  context: RequestContext,
  { id, change }: { id: string; change: KeyChange },
) {
  const { caller, work } = context
  const before = await lockVisibleKey(context, id)
  requireManages(caller, before)
  const { name, scopes, ip_allowlist, accounts, enabled, rate_limit_per_minute } = change
  const changed = {
    ...(name !== undefined && { name }),
    ...(scopes && { scopes: readScopes(scopes) }),
    ...(ip_allowlist !== undefined && { ipAllowlist: readAllowlist(ip_allowlist) }),
    ...(accounts !== undefined && { accounts: await readAccounts(work.tx, before.user, accounts) }),
    ...(enabled !== undefined && { enabled }),
    ...(rate_limit_per_minute !== undefined && { rateLimitPerMinute: rate_limit_per_minute }),
  }
  const [from, to] = [reachOf(before), reachOf({ ...before, ...changed })]
  requireNotWider(caller, to)
  const enables = enabled === true && !before.enabled
  if (enables || widerAspect(from, to)) requireConfirmed(caller)
  const after = { ...before, ...changed }
  if (enables || isOtherList(before.ipAllowlist, after.ipAllowlist)) {
    await requireCompliance(context, after)
  }
  const row = await updateApiKey(work.tx, id, changed)
  await announceKeyChange(services, work, { keyId: id })
  await recordChange(context, {
    action: 'api_key.update',
    target: { type: 'api_key', id },
    details: { before: settingsOf(before), after: settingsOf(row) },
  })
  return { key: toKeyRecord(row) }
}

const isOtherList = (before: readonly string[], after: readonly string[]): boolean =>
  before.length !== after.length || before.some((entry, index) => entry !== after[index])

/** Requires that a stored key complies with the policy of its organization. @throws Problem */
async function requireCompliance({ work, caller }: RequestContext, key: ApiKeyRow): Promise<void> {
  const { policy } = await holdKeyPolicy(work.tx, caller.tenant.id)
  requireKeyPolicy(policy, restrictedOf(key))
}

/** Widening and enabling a key need the same confirmation as creating one. @throws Problem */
function requireConfirmed({ session }: Caller): void {
  const problem = session && checkSession(session, { confirmed: true, refusesImpersonation: true })
  if (problem) throw problem
}

/** The request that a stored response of a key operation is replayed to. */
interface KeyReplay {
  readonly caller: Caller
  readonly params: { readonly id: string }
}

/** Repeats the checks of {@link updateKey} and {@link rotateKey} before a stored response is replayed. */
export async function requireStillManages(
  { caller, params }: KeyReplay,
  { database }: Services,
): Promise<void> {
  requireManages(caller, await getVisibleKey(database.prisma, caller, params.id))
}

/** Rotates a key: creates a new secret. During an overlap period the current one stays valid. */
export async function rotateKey(
  services: Services,
  context: RequestContext,
  { id, graceSeconds }: { id: string; graceSeconds: number },
) {
  const { caller, work } = context
  const before = await lockVisibleKey(context, id)
  requireManages(caller, before)
  const now = currentTime()
  if (before.revokedAt) throw conflict('the key is revoked.')
  if (before.expiresAt && before.expiresAt <= now) throw conflict('the key has expired.')
  requireNotWider(caller, reachOf(before))
  await requireCompliance(context, before)
  const rotation = decideRotation(before.secrets, { graceSeconds, now })
  if (rotation.refused) {
    throw conflict(`the key already has ${validSecretsMax} valid secrets.`)
  }
  const token = createKeySecret(id, services.config.keyPrefix)
  const hash = hashKeySecret(services.serverSecret, token)
  const row = await rotateApiKey(work.tx, id, { ...rotation, hash, now })
  await announceKeyChange(services, work, { keyId: id })
  await recordChange(context, {
    action: 'api_key.rotate',
    target: { type: 'api_key', id },
    details: { grace_seconds: graceSeconds },
  })
  return { key: toKeyRecord(row), token: formatKeyToken(token) }
}

const conflict = (reason: string): Problem => new Problem('conflict', { facts: { reason } })

/** Sessions have no such limit. @throws Problem `api_key_wider_than_caller` */
function requireNotWider({ key }: Caller, target: KeyReach): void {
  const aspect = key && widerAspect(key, target)
  if (aspect) throw new Problem('api_key_wider_than_caller', { facts: { aspect } })
}

const reachOf = (
  row: Omit<KeyReach, 'allowlist' | 'scopes' | 'accounts'> & {
    scopes: string[]
    ipAllowlist: string[]
    accounts: string[]
  },
): KeyReach => ({
  ...row,
  scopes: row.scopes as Scope[],
  allowlist: toAllowlist(row.ipAllowlist),
  accounts: row.accounts.length > 0 ? row.accounts : null,
})

/** A key's settings, for the audit log. */
export const settingsOf = (row: ApiKeyRow) => ({
  name: row.name,
  kind: row.kind,
  scopes: row.scopes,
  expires_at: row.expiresAt?.toISOString() ?? null,
  ip_allowlist: row.ipAllowlist.length > 0 ? row.ipAllowlist : null,
  rate_limit_per_minute: row.rateLimitPerMinute,
  enabled: row.enabled,
  accounts: row.accounts.length > 0 ? row.accounts : null,
})
