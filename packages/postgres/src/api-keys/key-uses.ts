import { keyUsesKeptDays, type UseRange } from '@hosting/core/api-keys'
import { type Scope } from '@hosting/core/scopes'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineDeletion } from '../database/deletion.ts'
import { defineStatement, run } from '../database/statement.ts'

const { bool, int, keyId, listOf, named, notNull, nullable, smallint, text, time, uuid } = types

/** Requests of a key in an hour that agree in everything that is recorded of them. */
export interface CountedKeyUse {
  readonly keyId: string
  /** When the hour starts. */
  readonly start: Date
  /** Null if no route served the requests. */
  readonly operation: string | null
  /** The status of the responses. */
  readonly status: number
  /** The address group; null for what a process counted only in total. */
  readonly address: string | null
  /** The secret that was sent; null if its last use is not recorded. */
  readonly secretId: string | null
  /** Whether the secret has been replaced by a rotation. */
  readonly isPrevious: boolean
  /** The scope that the requests needed; null if they needed none, or were refused before. */
  readonly scope: Scope | null
  /** The number of requests. With 0, only the last uses advance. */
  readonly requests: number
  readonly lastUsedAt: Date
  /** The address of the last request. */
  readonly lastUsedIp: string
}

/**
 * Adds uses of keys to their counts (docs/specification/api-keys.md#uses), and advances the last uses of keys, secrets and
 * scopes. Uses of keys that do not exist are left out.
 *
 * @returns the ids of the keys whose last use could not be advanced, because a change has locked them.
 */
export async function addKeyUses(
  { pool }: Database,
  uses: readonly CountedKeyUse[],
): Promise<Set<string>> {
  const rows = await run(pool, addStatement, {
    keyIds: uses.map((use) => use.keyId),
    starts: uses.map(({ start }) => start),
    operations: uses.map(({ operation }) => operation),
    statuses: uses.map(({ status }) => status),
    addresses: uses.map(({ address }) => address),
    arePrevious: uses.map(({ isPrevious }) => isPrevious),
    counts: uses.map(({ requests }) => requests),
    secretIds: uses.map(({ secretId }) => secretId),
    scopes: uses.map(({ scope }) => scope),
    times: uses.map(({ lastUsedAt }) => lastUsedAt),
    ips: uses.map(({ lastUsedIp }) => lastUsedIp),
  })
  return new Set(rows.map((row) => row.keyId))
}

/**
 * Adds uses of keys, and gives the keys that others have locked. It locks the rows of daily usage in their order, with
 * the hours of the same keys, and then the keys whose last use advances.
 */
const addStatement = defineStatement({
  name: 'add-key-uses',
  takes: {
    /** One element per use in each list. */
    keyIds: listOf(keyId),
    starts: listOf(time),
    operations: listOf(nullable(text)),
    statuses: listOf(int),
    addresses: listOf(nullable(text)),
    arePrevious: listOf(bool),
    counts: listOf(int),
    secretIds: listOf(nullable(uuid)),
    scopes: listOf(nullable(text)),
    times: listOf(time),
    ips: listOf(text),
  },
  gives: { keyId: notNull(keyId, 'the id of a key') },
  sql: `
    SELECT record_key_uses(:keyIds, :starts, :operations, :statuses, :addresses, :arePrevious, :counts, :secretIds,
      :scopes, :times, :ips) AS key_id`,
})

/** A row of a list of uses: its span, and its place in it. */
export interface UsePosition {
  readonly start: Date
  readonly place: number
}

/** The requests of a key in a span that agree in operation, status, address group and secret. */
export interface KeyUse extends UsePosition {
  readonly operation: string | null
  /** Null if the requests, which are the rest of the span, do not agree. */
  readonly status: number | null
  readonly address: string | null
  /** Whether a previous secret was sent. Null as `status`. */
  readonly isPrevious: boolean | null
  readonly requests: number
}

/** Which uses of a key to list. */
export interface KeyUseFilter extends UseRange {
  readonly keyId: string
}

/**
 * Lists the uses of a key by UTC hour or day, newest first, from a position on. A span that contains `since` is listed as
 * a whole.
 */
export async function listKeyUses(
  { pool }: Database,
  filter: KeyUseFilter,
  { after, take }: { after: UsePosition | undefined; take: number },
): Promise<KeyUse[]> {
  const rows = await run(pool, listStatement, {
    ...filter,
    afterStart: after?.start ?? null,
    afterPlace: after?.place ?? null,
    take,
  })
  return rows.map((row) => ({ ...row, requests: Number(row.requests) }))
}

/**
 * Returns the uses of a key by hour or day, newest first. The place of a row in its span is that of the first hour and slot
 * that it contains, which does not change. It reads the rows of the spans, whose number is limited. Locks nothing.
 */
const listStatement = defineStatement({
  name: 'list-key-uses',
  takes: {
    keyId,
    by: text,
    since: time,
    until: time,
    afterStart: nullable(time),
    afterPlace: nullable(int),
    take: int,
  },
  gives: {
    start: notNull(time, 'computed of a column that is not null'),
    place: notNull(int, 'computed of columns that are not null'),
    operation: nullable(text),
    status: nullable(smallint),
    address: nullable(text),
    isPrevious: nullable(bool),
    requests: notNull(named('numeric'), 'a sum of a group'),
  },
  sql: `
    SELECT date_trunc(:by, u.start, 'UTC') AS start,
      min(extract(epoch FROM u.start - date_trunc(:by, u.start, 'UTC'))::int + u.slot) AS place,
      u.operation,
      CASE WHEN count(u.status) = count(*) AND min(u.status) = max(u.status) THEN min(u.status) END AS status,
      u.address,
      CASE WHEN count(u.previous) = count(*) AND bool_and(u.previous) = bool_or(u.previous) THEN bool_and(u.previous) END
        AS is_previous,
      sum(u.requests) AS requests
    FROM api_key_uses u
    WHERE u.key_id = :keyId AND u.start >= date_trunc(:by, :since, 'UTC') AND u.start < :until
      AND (:afterStart IS NULL OR u.start < :afterStart + ('1 ' || :by)::interval)
    GROUP BY 1, u.operation, u.address, u.slot = 0,
      CASE WHEN u.slot > 0 THEN u.status END, CASE WHEN u.slot > 0 THEN u.previous END
    HAVING :afterStart IS NULL OR date_trunc(:by, min(u.start), 'UTC') < :afterStart
      OR min(extract(epoch FROM u.start - date_trunc(:by, u.start, 'UTC'))::int + u.slot) > :afterPlace
    ORDER BY 1 DESC, 2 LIMIT :take`,
})

/** The requests of a key in an hour. */
export interface HourlyUsage {
  readonly start: Date
  readonly requests: number
  /** Those that got a 403 and a 429. Of what exceeds the combinations of an hour, they are not known. */
  readonly refused: number
  readonly rateLimited: number
}

/** Counts the requests of a key by UTC hour, oldest first, from the hour that contains a time on. Hours without requests are left out. */
export async function countKeyUses(
  { pool }: Pick<Database, 'pool'>,
  filter: { readonly keyId: string; readonly since: Date },
): Promise<HourlyUsage[]> {
  const rows = await run(pool, countStatement, { ...filter })
  return rows.map(({ start, requests, refused, rateLimited }) => ({
    start,
    requests: Number(requests),
    refused: Number(refused ?? 0),
    rateLimited: Number(rateLimited ?? 0),
  }))
}

/** Returns the numbers of the requests of a key by hour, oldest first. It reads the rows of these hours, whose number is limited. */
const countStatement = defineStatement({
  name: 'count-key-uses',
  takes: { keyId, since: time },
  gives: {
    start: time,
    requests: notNull(named('numeric'), 'a sum of a group'),
    refused: nullable(named('numeric')),
    rateLimited: nullable(named('numeric')),
  },
  sql: `
    SELECT start, sum(requests) AS requests, sum(requests) FILTER (WHERE status = 403) AS refused,
      sum(requests) FILTER (WHERE status = 429) AS rate_limited
    FROM api_key_uses WHERE key_id = :keyId AND start >= date_trunc('hour', :since, 'UTC')
    GROUP BY start ORDER BY start`,
})

/** Deletes the uses of keys on UTC days that are no longer kept, and returns the number of rows. */
export const dropOldKeyUses = defineDeletion({
  name: 'delete-old-key-uses',
  table: 'api_key_uses',
  where: `start < date_trunc('day', now(), 'UTC') - make_interval(days => ${keyUsesKeptDays})`,
})
