import { keyExpiresSoonDays } from '@hosting/core/api-keys'
import { type Scope } from '@hosting/core/scopes'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, run } from '../database/statement.ts'

const { bigint, float, int, keyId, listOf, named, notNull, nullable, text, time, uuid } = types

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
  const rows = await run(pool, listStatement, {
    tenantId,
    ownerId: ownerId ?? null,
    since,
    days: keyExpiresSoonDays,
    take,
  })
  const keys = rows.map(({ total: _total, ...key }) => key)
  return { keys, total: Number(rows[0]?.total ?? 0) }
}

/** Returns active keys that expire soon, and in each row how many there are. Locks nothing. */
const listStatement = defineStatement({
  name: 'list-expiring-keys',
  takes: {
    tenantId: uuid,
    /** Only the personal keys of this user. */
    ownerId: nullable(uuid),
    since: named('date'),
    days: int,
    take: int,
  },
  gives: {
    id: keyId,
    name: text,
    scopes: notNull(listOf(named<Scope>('text')), 'every key has scopes'),
    expiresAt: notNull(time, 'part of the condition'),
    total: notNull(bigint, 'count'),
    requests: notNull(float, 'coalesce'),
  },
  sql: `
    SELECT k.id, k.name, k.scopes, k.expires_at, count(*) OVER () AS total, coalesce((
        SELECT sum(u.requests) FROM api_key_usage u WHERE u.key_id = k.id AND u.date >= :since
      ), 0)::float8 AS requests
    FROM api_keys k
    WHERE k.tenant_id = :tenantId AND (:ownerId IS NULL OR (k.kind = 'personal' AND k.user_id = :ownerId))
      AND k.revoked_at IS NULL AND k.enabled
      AND k.expires_at > now() AND k.expires_at <= now() + :days * interval '24 hours'
      AND k.expires_at > k.created_at + :days * interval '24 hours'
    ORDER BY k.expires_at, k.id LIMIT :take`,
})
