import { usageKeptDays } from '@hosting/core/directory'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineDeletion } from '../database/deletion.ts'
import { defineStatement, run } from '../database/statement.ts'
import { isLive } from './key-counts.ts'

const { bigint, int, named, notNull, nullable, text, uuid } = types
const day = named('date')

/** The requests of a key on a day, by outcome. */
export interface DailyUsage {
  readonly requests: number
  /** How many of the requests got a 403. */
  readonly refused: number
  /** How many of the requests got a 429. */
  readonly rateLimited: number
}

/** Returns the requests of a key by day, newest first, since a day. */
export async function listKeyUsage(
  { pool }: Database,
  keyId: string,
  since: string,
): Promise<Map<string, DailyUsage>> {
  const rows = await run(pool, listStatement, { keyId, since })
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

/** Returns the usage of a key by day, newest first. Locks nothing. */
const listStatement = defineStatement({
  name: 'list-key-usage',
  takes: { keyId: types.keyId, since: day },
  gives: {
    date: notNull(text, 'of a column that is not null'),
    requests: bigint,
    refused: bigint,
    rateLimited: bigint,
  },
  sql: `
    SELECT to_char(date, 'YYYY-MM-DD') AS date, requests, refused, rate_limited
    FROM api_key_usage WHERE key_id = :keyId AND date >= :since ORDER BY date DESC`,
})

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

/**
 * Returns the keys with the most requests since a day, in descending order, at most `take`. Revoked and expired keys are
 * left out: their number has no limit.
 */
export async function listMostUsedKeys(
  { pool }: Database,
  { ownerId, ...filter }: KeyUsageFilter,
  take: number,
): Promise<KeyTotal[]> {
  const rows = await run(pool, mostUsedStatement, { ...filter, ownerId: ownerId ?? null, take })
  return rows.map((row) => ({ ...row, requests: Number(row.requests) }))
}

/** Returns the live keys of an organization, or of one person, with the most requests. Locks nothing. */
const mostUsedStatement = defineStatement({
  name: 'list-most-used-keys',
  takes: { tenantId: uuid, ownerId: nullable(uuid), since: day, take: int },
  gives: {
    id: types.keyId,
    name: text,
    requests: notNull(named('numeric'), 'part of the condition'),
  },
  sql: `
    WITH live AS MATERIALIZED (
      SELECT k.id, k.name FROM api_keys k
      WHERE k.tenant_id = :tenantId AND ${isLive('k')}
        AND (:ownerId IS NULL OR (k.kind = 'personal' AND k.user_id = :ownerId))
    )
    SELECT live.id, live.name, used.requests
    FROM live CROSS JOIN LATERAL (
      SELECT sum(u.requests) AS requests FROM api_key_usage u WHERE u.key_id = live.id AND u.date >= :since
    ) used
    WHERE used.requests IS NOT NULL ORDER BY used.requests DESC, live.id LIMIT :take`,
})

/** Deletes the usage of days that are no longer kept, and returns the number of rows. It reads the whole table. */
export const dropOldKeyUsage = defineDeletion({
  name: 'delete-old-key-usage',
  table: 'api_key_usage',
  where: `date < (now() AT TIME ZONE 'UTC')::date - ${usageKeptDays}`,
})
