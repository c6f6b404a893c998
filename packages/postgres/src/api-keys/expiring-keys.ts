import { keyExpiresSoonDays } from '@hosting/core/api-keys'
import { type Scope } from '@hosting/core/scopes'
import type { Database } from '../database/database.ts'

/** A key that expires soon. */
export interface ExpiringKey {
  readonly id: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly expiresAt: Date
  /** Since the first day of the filter. */
  readonly requests: number
}

/** The keys to search: all of the organization, or the personal keys of one user. */
export interface ExpiringKeyFilter {
  readonly tenantId: string
  readonly ownerId: string | undefined
  /** The first day whose requests are counted, UTC, `YYYY-MM-DD`. */
  readonly since: string
}

/**
 * Returns the active keys that expire soon, the next to expire first, at most `take`, and how many there are. Keys
 * that were created with a shorter life are replaced as a matter of course, so they are left out.
 */
export async function listExpiringKeys(
  { pool }: Database,
  { tenantId, ownerId, since }: ExpiringKeyFilter,
  take: number,
): Promise<{ readonly keys: readonly ExpiringKey[]; readonly total: number }> {
  const { rows } = await pool.query<ExpiringKey & { total: string }>(
    `SELECT k.id, k.name, k.scopes, k.expires_at AS "expiresAt",
       count(*) OVER () AS total, coalesce((
         SELECT sum(u.requests) FROM api_key_usage u WHERE u.key_id = k.id AND u.date >= $3
       ), 0)::float8 AS requests
     FROM api_keys k
     WHERE k.tenant_id = $1 AND ($2::uuid IS NULL OR (k.kind = 'personal' AND k.user_id = $2))
       AND k.revoked_at IS NULL AND k.enabled
       AND k.expires_at > now() AND k.expires_at <= now() + $4 * interval '24 hours'
       AND k.expires_at > k.created_at + $4 * interval '24 hours'
     ORDER BY k.expires_at, k.id LIMIT $5`,
    [tenantId, ownerId ?? null, since, keyExpiresSoonDays, take],
  )
  const total = Number(rows[0]?.total ?? 0)
  return { keys: rows.map(({ total: _total, ...key }) => key), total }
}
