import {
  checkKeyCounts,
  createKeySecret,
  createKeyToken,
  decideRotation,
  formatKeyToken,
  hashKeySecret,
  rateLimitMax,
  toAllowlist,
  validSecretsMax,
  widerAspect,
  type KeyReach,
} from '@hosting/core/api-keys'
import { currentTime, isStillValid } from '@hosting/core/clock'
import { createUuidv7 } from '@hosting/core/ids'
import { conflict, Problem, validationFailed } from '@hosting/core/problems'
import { type Scope } from '@hosting/core/scopes'
import {
  addRotationLineage,
  createApiKey,
  createServiceUser,
  holdKeyPolicy,
  lockKeyCounts,
  rotateApiKey,
  updateApiKey,
  type ApiKeyRow,
} from '@hosting/postgres/api-keys'
import type { Caller } from '../access/caller.ts'
import { requireConfirmed } from '../access/check-access.ts'
import { toKeyRecord } from '../records/api-key.ts'
import type { KeyChange, KeyFields } from '../schemas/api-key.ts'
import type { Needs } from '../services.ts'
import { detailsOfChange, recordChange, type RequestContext } from './audit.ts'
import { withExternalId } from './duplicates.ts'
import { getVisibleKey, lockVisibleKey, requireKeyManager, requireManages } from './key-access.ts'
import { readAccounts, serviceRoles } from './key-accounts.ts'
import { announceKeyChange } from './key-changes.ts'
import { readAllowlist, readExpiry, readScopes } from './key-fields.ts'
import { requireKeyPolicy, restrictedOf } from './key-policy.ts'
import {
  changeWorkload,
  readWorkload,
  readWorkloadChange,
  requireOwnAudience,
} from './workload-fields.ts'

/** Creates a key. Only this response holds its token. */
export async function createKey(
  services: Needs<'addressPolicy' | 'config' | 'serverSecret'>,
  context: RequestContext,
  fields: KeyFields,
) {
  const { caller, work } = context
  const { name, kind = 'personal' } = fields
  requireMayCreate(caller, kind)
  const workload = fields.workload && readWorkload(services, kind, fields.workload)
  requireOrganizationKey(kind, fields.external_id)
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
  const externalId = fields.external_id ?? null
  const row = await withExternalId(externalId, () =>
    createApiKey(work.tx, {
      ...settings,
      id: token.id,
      secretHash: workload ? undefined : hashKeySecret(services.serverSecret, token),
      workload,
      tenantId,
      userId,
      createdById: caller.user.id,
      parentKeyId: caller.key?.id ?? null,
      parentLineageId: caller.key ? caller.lineageId : null,
      source: workload ? 'workload' : caller.key ? 'api' : 'panel',
      name,
      createdAt,
      externalId,
    }),
  )
  if (workload) await requireOwnAudience(services, work.tx, { id: token.id, workload })
  await recordChange(context, {
    action: 'api_key.create',
    target: { type: 'api_key', id: token.id },
    details: settingsOf(row),
  })
  return {
    key: toKeyRecord(row, services.config),
    token: workload ? null : formatKeyToken(token),
  }
}

/** A personal key belongs to a person, and not to the configuration of an organization. @throws Problem */
function requireOrganizationKey(
  kind: ApiKeyRow['kind'],
  externalId: string | null | undefined,
): void {
  if (kind === 'organization' || externalId == null) return
  throw validationFailed({
    pointer: '/external_id',
    message: 'only an organization key can have one',
  })
}

/** Reads the settings of a new key that decide its reach, except its accounts. */
const readSettings = (kind: 'personal' | 'organization', fields: KeyFields) => ({
  kind,
  scopes: readScopes(fields.scopes),
  expiresAt: readExpiry(fields.expires_at),
  ipAllowlist: readAllowlist(fields.ip_allowlist),
  rateLimitPerMinute: fields.rate_limit_per_minute ?? rateLimitMax,
})

/** Repeats the role check of {@link createKey} before its stored response is replayed. @throws Problem */
export function requireMayCreate(caller: Caller, kind: KeyFields['kind'] = 'personal'): void {
  if (kind === 'organization') requireKeyManager(caller)
}

/** Updates a key. */
export async function updateKey(
  services: Needs<'config' | 'gate' | 'keyChanges' | 'log'>,
  context: RequestContext,
  { id, change }: { id: string; change: KeyChange },
) {
  const { caller, work } = context
  const before = await lockVisibleKey(context, id)
  requireManages(caller, before)
  const { name, scopes, ip_allowlist, accounts, enabled, rate_limit_per_minute } = change
  requireOrganizationKey(before.kind, change.external_id)
  const changed = {
    ...(name !== undefined && { name }),
    ...(scopes && { scopes: readScopes(scopes) }),
    ...(ip_allowlist !== undefined && { ipAllowlist: readAllowlist(ip_allowlist) }),
    ...(accounts !== undefined && { accounts: await readAccounts(work.tx, before.user, accounts) }),
    ...(enabled !== undefined && { enabled }),
    ...(rate_limit_per_minute !== undefined && { rateLimitPerMinute: rate_limit_per_minute }),
    ...(change.external_id !== undefined && { externalId: change.external_id }),
  }
  const [from, to] = [reachOf(before), reachOf({ ...before, ...changed })]
  requireNotWider(caller, to)
  const enables = enabled === true && !before.enabled
  // The same confirmation as for creating a key.
  const workload = change.workload && readWorkloadChange(caller, before, change.workload)
  if (enables || widerAspect(from, to) || workload?.widens) requireConfirmed(caller)
  const after = { ...before, ...changed }
  if (enables || isOtherList(before.ipAllowlist, after.ipAllowlist)) {
    await requireCompliance(context, after)
  }
  if (workload) await changeWorkload(work.tx, id, workload)
  const row = await withExternalId(change.external_id, () => updateApiKey(work.tx, id, changed))
  await announceKeyChange(services, work, { keyId: id })
  await recordChange(context, {
    action: 'api_key.update',
    target: { type: 'api_key', id },
    details: detailsOfChange(row.name, { before: settingsOf(before), after: settingsOf(row) }),
  })
  return { key: toKeyRecord(row, services.config) }
}

const isOtherList = (before: readonly string[], after: readonly string[]): boolean =>
  before.length !== after.length || before.some((entry, index) => entry !== after[index])

/** Requires that a stored key complies with the policy of its organization. @throws Problem */
async function requireCompliance({ work, caller }: RequestContext, key: ApiKeyRow): Promise<void> {
  const { policy } = await holdKeyPolicy(work.tx, caller.tenant.id)
  requireKeyPolicy(policy, restrictedOf(key))
}

/** The request that a stored response of a key operation is replayed to. */
interface KeyReplay {
  readonly caller: Caller
  readonly params: { readonly id: string }
}

/**
 * Requires, before a stored response is replayed, that the caller still sees the key and may manage it. The other checks
 * of the change are not repeated.
 *
 * @throws Problem
 */
export async function requireStillManages(
  { caller, params }: KeyReplay,
  { database }: Needs<'database'>,
): Promise<void> {
  requireManages(caller, await getVisibleKey(database.prisma, caller, params.id))
}

/** Rotates a key: creates a new secret. During an overlap period the current one stays valid. */
export async function rotateKey(
  services: Needs<'config' | 'gate' | 'keyChanges' | 'log' | 'serverSecret'>,
  context: RequestContext,
  { id, overlapSeconds }: { id: string; overlapSeconds: number },
) {
  const { caller, work } = context
  const before = await lockVisibleKey(context, id)
  requireManages(caller, before)
  const now = currentTime()
  if (before.workload) throw conflict('a workload key has no secret to rotate.')
  if (before.revokedAt) throw conflict('the key is revoked.')
  if (!isStillValid(before.expiresAt, now)) throw conflict('the key has expired.')
  requireNotWider(caller, reachOf(before))
  await requireCompliance(context, before)
  const rotation = decideRotation(before.secrets, { overlapSeconds, now })
  if (rotation.refused) {
    throw conflict(`the key already has ${validSecretsMax} valid secrets.`)
  }
  const token = createKeySecret(id, services.config.keyPrefix)
  const hash = hashKeySecret(services.serverSecret, token)
  const lineageId = await lineageOfRotation(context, id)
  const row = await rotateApiKey(work.tx, id, { ...rotation, hash, lineageId, now })
  await announceKeyChange(services, work, { keyId: id })
  await recordChange(context, {
    action: 'api_key.rotate',
    target: { type: 'api_key', id },
    details: { grace_seconds: overlapSeconds },
  })
  return { key: toKeyRecord(row, services.config), token: formatKeyToken(token) }
}

/**
 * Where a new secret comes from. One that a session creates belongs to the key's creation, and one that the key creates
 * to the lineage of the secret that was sent. One that another key creates must end with that key's descendants.
 */
async function lineageOfRotation(
  { caller, work }: RequestContext,
  id: string,
): Promise<string | null> {
  if (!caller.key) return null
  const { lineageId } = caller
  if (caller.key.id === id) return lineageId
  return addRotationLineage(work.tx, id, { keyId: caller.key.id, lineageId })
}

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
  ...(row.externalId !== null && { external_id: row.externalId }),
  ...(row.workload && {
    workload: {
      issuer: row.workload.issuer,
      conditions: row.workload.conditions,
      token_lifetime_seconds: row.workload.tokenLifetimeSeconds,
      single_use: row.workload.singleUse,
      audience: row.workload.audience,
    },
  }),
})
