import type { Database } from './database.ts'

/** What a process counted of a key since it last said. */
export interface KeyUsage {
  readonly keyId: string
  /** UTC, `YYYY-MM-DD`. */
  readonly date: string
  readonly requests: number
  readonly lastUsedAt: Date
  readonly lastUsedIp: string
}

/** Adds counts to the days of keys, and moves their last use forward. */
export async function addKeyUsage({ pool }: Database, usage: readonly KeyUsage[]): Promise<void> {
  await pool.query(
    `WITH used AS (
       SELECT * FROM unnest($1::text[], $2::date[], $3::bigint[], $4::timestamptz[], $5::text[])
         AS u (key_id, date, requests, at, ip) ORDER BY key_id, date
     ), known AS (
       SELECT u.* FROM used u WHERE EXISTS (SELECT 1 FROM api_keys k WHERE k.id = u.key_id)
     ), counted AS (
       INSERT INTO api_key_usage (key_id, date, requests)
       SELECT key_id, date, sum(requests) FROM known GROUP BY key_id, date ORDER BY key_id, date
       ON CONFLICT (key_id, date) DO UPDATE SET requests = api_key_usage.requests + EXCLUDED.requests
     ), latest AS (
       SELECT DISTINCT ON (key_id) key_id, at, ip FROM known ORDER BY key_id, at DESC
     ), moved AS (
       SELECT latest.* FROM api_keys k JOIN latest ON latest.key_id = k.id
       WHERE k.last_used_at IS NULL OR k.last_used_at < latest.at
       ORDER BY k.id FOR NO KEY UPDATE OF k
     )
     UPDATE api_keys k SET last_used_at = moved.at, last_used_ip = moved.ip FROM moved
     WHERE k.id = moved.key_id`,
    [
      usage.map(({ keyId }) => keyId),
      usage.map(({ date }) => date),
      usage.map(({ requests }) => requests),
      usage.map(({ lastUsedAt }) => lastUsedAt),
      usage.map(({ lastUsedIp }) => lastUsedIp),
    ],
  )
}

/** The requests of a key by day, newest first, from a day on. */
export async function listKeyUsage(
  { pool }: Database,
  keyId: string,
  since: string,
): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ date: string; requests: string }>(
    `SELECT to_char(date, 'YYYY-MM-DD') AS date, requests FROM api_key_usage
     WHERE key_id = $1 AND date >= $2 ORDER BY date DESC`,
    [keyId, since],
  )
  return new Map(rows.map(({ date, requests }) => [date, Number(requests)]))
}
