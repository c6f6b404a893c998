import { isWideAllowlist, lastOverlapEnd, statusOfKey, unusedScopes } from '@hosting/core/api-keys'
import { currentTime, isStillValid } from '@hosting/core/clock'
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
    previous_secret_last_used_at: lastUseOfPrevious(row, now)?.lastUsedAt ?? null,
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

/** The latest use of an earlier secret that is still valid. The tokens of a workload key have no predecessors. */
export function lastUseOfPrevious(
  { workload, secrets }: Pick<ApiKeyRow, 'workload' | 'secrets'>,
  now: Date,
): ApiKeyRow['secrets'][number] | undefined {
  if (workload) return undefined
  return secrets
    .filter(({ expiresAt, lastUsedAt }) => expiresAt && isStillValid(expiresAt, now) && lastUsedAt)
    .toSorted((a, b) => Number(b.lastUsedAt) - Number(a.lastUsedAt))[0]
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

/** A key as the API returns it. */
export type KeyRecord = ReturnType<typeof toKeyRecord>
