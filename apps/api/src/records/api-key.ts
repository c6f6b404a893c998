import { currentTime, lastOverlapEnd, statusOfKey } from '@hosting/core'
import type { ApiKeyRow } from '@hosting/postgres'

/** A key as the API returns it. */
export function toKeyRecord(row: ApiKeyRow, now = currentTime()) {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    source: row.source,
    scopes: row.scopes,
    status: statusOfKey(row, now),
    expires_at: row.expiresAt,
    ip_allowlist: row.ipAllowlist.length > 0 ? row.ipAllowlist : null,
    rate_limit_per_minute: row.rateLimitPerMinute,
    enabled: row.enabled,
    accounts: row.accounts.length > 0 ? row.accounts : null,
    parent_key_id: row.parentKeyId,
    user: { id: row.user.id, name: row.user.name },
    created_by: row.createdBy && { id: row.createdBy.id, name: row.createdBy.name },
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    rotated_at: row.rotatedAt,
    previous_secret_expires_at: lastOverlapEnd(row.secrets, now),
    revoked_at: row.revokedAt,
    last_used_at: row.lastUsedAt,
    last_used_ip: row.lastUsedIp,
    requests_today: Number(row.usage[0]?.requests ?? 0),
  }
}

/** A key as the API returns it. */
export type KeyRecord = ReturnType<typeof toKeyRecord>
