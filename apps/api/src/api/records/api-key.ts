import { isWideAllowlist, lastOverlapEnd, statusOfKey, unusedScopes } from '@hosting/core/api-keys'
import { currentTime, dayMs, isStillValid } from '@hosting/core/clock'
import { type Config } from '@hosting/core/configuration'
import { type Scope } from '@hosting/core/scopes'
import { workloadAudienceOf, type WorkloadConditions } from '@hosting/core/workloads'
import type { ApiKeyRow } from '@hosting/postgres/api-keys'

/** A key as the API returns it. */
export function toKeyRecord(row: ApiKeyRow, config: Config) {
  const now = currentTime()
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    source: row.source,
    workload: toWorkloadRecord(row, config),
    scopes: row.scopes,
    status: statusOfKey(row, now),
    expires_at: row.expiresAt,
    ip_allowlist: row.ipAllowlist.length > 0 ? row.ipAllowlist : null,
    ...(isWideAllowlist(row.ipAllowlist) && { ip_allowlist_wide: true }),
    rate_limit_per_minute: row.rateLimitPerMinute,
    enabled: row.enabled,
    accounts: row.accounts.length > 0 ? row.accounts : null,
    external_id: row.externalId,
    parent_key_id: row.parentKeyId,
    user: { id: row.user.id, name: row.user.name },
    created_by: row.createdBy && { id: row.createdBy.id, name: row.createdBy.name },
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    rotated_at: row.rotatedAt,
    previous_secret_expires_at: row.workload ? null : lastOverlapEnd(row.secrets, now),
    previous_secret_last_used_at: describePrevious(row, now)?.lastUsedAt ?? null,
    revoked_at: row.revokedAt,
    last_used_at: row.lastUsedAt,
    last_used_ip: row.lastUsedIp,
    requests_today: Number(row.usage[0]?.requests ?? 0),
    unused_scopes: unusedScopes(
      {
        scopes: row.scopes as Scope[],
        countedFrom: row.usesCountedFrom ?? row.createdAt,
        uses: row.scopeUses,
      },
      now,
    ),
  }
}

/** How the old secrets of a key that are still valid are used. */
export interface PreviousSecretUse {
  /** The latest use of one of them; null if none was used. */
  readonly lastUsedAt: Date | null
  readonly lastUsedIp: string | null
  /** Whether it is known that none has been used for a day. */
  readonly isIdle: boolean
}

/** Describes the old secrets that are still valid; `undefined` if there are none. The tokens of a workload key are none. */
export function describePrevious(
  { workload, secrets, usesCountedFrom, createdAt }: ApiKeyRow,
  now: Date,
): PreviousSecretUse | undefined {
  const previous = secrets.filter(({ expiresAt }) => expiresAt && isStillValid(expiresAt, now))
  if (workload || previous.length === 0) return undefined
  const countedFrom = Number(usesCountedFrom ?? createdAt)
  const aliveMs = previous.map((secret) =>
    Number(secret.lastUsedAt ?? Math.max(countedFrom, Number(secret.createdAt))),
  )
  const latest = previous.toSorted((a, b) => Number(b.lastUsedAt) - Number(a.lastUsedAt))[0]!
  return {
    lastUsedAt: latest.lastUsedAt,
    lastUsedIp: latest.lastUsedIp,
    isIdle: Math.max(...aliveMs) <= now.getTime() - dayMs,
  }
}

/** What a workload key exchanges for its tokens; null for other keys. */
const toWorkloadRecord = ({ id, workload }: ApiKeyRow, config: Config) =>
  workload && {
    issuer: workload.issuer,
    conditions: workload.conditions as WorkloadConditions,
    token_lifetime_seconds: workload.tokenLifetimeSeconds,
    single_use: workload.singleUse,
    audience: workloadAudienceOf(config, { id, chosen: workload.audience }),
  }
