import type { Database } from '../database/database.ts'

/** The usage of a key that a process counted since its last report. */
export interface KeyUsage {
  readonly keyId: string
  /** UTC, `YYYY-MM-DD`. */
  readonly date: string
  readonly requests: number
  /** How many of the requests got a 403. */
  readonly refused: number
  /** How many of the requests got a 429. */
  readonly rateLimited: number
  readonly lastUsedAt: Date
  readonly lastUsedIp: string
}

/**
 * Adds counts to the daily usage of keys, and advances their last use. It skips keys that a change has
 * locked: waiting for one of them would keep the others locked.
 *
 * @returns the ids of the keys whose last use could not be advanced.
 */
export async function addKeyUsage(
  { pool }: Database,
  usage: readonly KeyUsage[],
): Promise<Set<string>> {
  const { rows } = await pool.query<{ key_id: string }>(
    `WITH used AS (
       SELECT * FROM unnest($1::bpchar[], $2::date[], $3::bigint[], $4::timestamptz[], $5::text[],
           $6::bigint[], $7::bigint[])
         AS u (key_id, date, requests, at, ip, refused, rate_limited) ORDER BY key_id, date
     ), known AS (
       SELECT u.* FROM used u WHERE EXISTS (SELECT 1 FROM api_keys k WHERE k.id = u.key_id)
     ), counted AS (
       INSERT INTO api_key_usage AS k (key_id, date, requests, refused, rate_limited)
       SELECT key_id, date, sum(requests), sum(refused), sum(rate_limited)
       FROM known GROUP BY key_id, date ORDER BY key_id, date
       ON CONFLICT (key_id, date) DO UPDATE SET requests = k.requests + EXCLUDED.requests,
         refused = k.refused + EXCLUDED.refused, rate_limited = k.rate_limited + EXCLUDED.rate_limited
     ), latest AS (
       SELECT DISTINCT ON (key_id) key_id, at, ip FROM known ORDER BY key_id, at DESC
     ), moved AS (
       SELECT latest.* FROM api_keys k JOIN latest ON latest.key_id = k.id
       WHERE k.last_used_at IS NULL OR k.last_used_at < latest.at
       ORDER BY k.id FOR NO KEY UPDATE OF k SKIP LOCKED
     ), updated AS (
       UPDATE api_keys k SET last_used_at = moved.at, last_used_ip = moved.ip FROM moved
       WHERE k.id = moved.key_id
     )
     SELECT latest.key_id FROM latest JOIN api_keys k ON k.id = latest.key_id
     WHERE (k.last_used_at IS NULL OR k.last_used_at < latest.at)
       AND NOT EXISTS (SELECT 1 FROM moved WHERE moved.key_id = latest.key_id)`,
    [
      usage.map(({ keyId }) => keyId),
      usage.map(({ date }) => date),
      usage.map(({ requests }) => requests),
      usage.map(({ lastUsedAt }) => lastUsedAt),
      usage.map(({ lastUsedIp }) => lastUsedIp),
      usage.map(({ refused }) => refused),
      usage.map(({ rateLimited }) => rateLimited),
    ],
  )
  return new Set(rows.map((row) => row.key_id))
}

/** The requests of a key on a day, by outcome. */
export type DailyUsage = Pick<KeyUsage, 'requests' | 'refused' | 'rateLimited'>

/** Returns the requests of a key by day, newest first, since a day. */
export async function listKeyUsage(
  { pool }: Database,
  keyId: string,
  since: string,
): Promise<Map<string, DailyUsage>> {
  const { rows } = await pool.query<Record<'date' | keyof DailyUsage, string>>(
    `SELECT to_char(date, 'YYYY-MM-DD') AS date, requests, refused, rate_limited AS "rateLimited"
     FROM api_key_usage WHERE key_id = $1 AND date >= $2 ORDER BY date DESC`,
    [keyId, since],
  )
  return new Map(
    rows.map(({ date, requests, refused, rateLimited }) => [
      date,
      {
        requests: Number(requests),
        refused: Number(refused),
        rateLimited: Number(rateLimited),
      },
    ]),
  )
}

/** The number of requests of a key over some days. */
export interface KeyTotal {
  readonly id: string
  readonly name: string
  readonly requests: number
}

/** The keys to count: all of the organization, or the personal keys of one user. */
export interface KeyUsageFilter {
  readonly tenantId: string
  readonly ownerId: string | undefined
  /** The first day, UTC, `YYYY-MM-DD`. */
  readonly since: string
}

/** Returns the keys with the most requests since a day, in descending order, at most `take`. */
export async function listMostUsedKeys(
  { pool }: Database,
  { tenantId, ownerId, since }: KeyUsageFilter,
  take: number,
): Promise<KeyTotal[]> {
  const { rows } = await pool.query<{ id: string; name: string; requests: string }>(
    `SELECT k.id, k.name, sum(u.requests) AS requests
     FROM api_keys k JOIN api_key_usage u ON u.key_id = k.id AND u.date >= $2
     WHERE k.tenant_id = $1 AND ($3::uuid IS NULL OR (k.kind = 'personal' AND k.user_id = $3))
     GROUP BY k.id ORDER BY sum(u.requests) DESC, k.id LIMIT $4`,
    [tenantId, since, ownerId ?? null, take],
  )
  return rows.map((row) => ({ ...row, requests: Number(row.requests) }))
}
