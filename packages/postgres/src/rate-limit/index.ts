import { types } from '../database/column-types.ts'
import type { Client, Database, Transaction } from '../database/database.ts'
import { defineDeletionBy, type DeletionOptions } from '../database/deletion.ts'

const { float } = types

/** The calls that are counted together: those of an operation by one caller, such as an address. */
export interface CountedCalls {
  readonly operation: string
  readonly caller: string
}

/** The most calls in any span of `windowMs`. */
export interface CallLimit {
  readonly max: number
  readonly windowMs: number
}

/**
 * Counts a call, unless its caller has reached the limit. Calls of one caller that count are serialized until the
 * transaction ends. Calls over the limit do not wait.
 *
 * @returns how long the caller has to wait, in ms. 0 if the call counts.
 */
export async function takeCall(
  tx: Transaction,
  calls: CountedCalls,
  limit: CallLimit,
): Promise<number> {
  const waitMs = await readCallWait(tx, calls, limit)
  if (waitMs > 0) return waitMs
  const { operation, caller } = calls
  await tx.$executeRaw`
    SELECT pg_advisory_xact_lock(hashtextextended(${`${operation} ${caller}`}, 0))`
  const lockedWaitMs = await readCallWait(tx, calls, limit)
  if (lockedWaitMs > 0) return lockedWaitMs
  await tx.$executeRaw`
    INSERT INTO counted_calls (id, operation, caller, created_at)
    VALUES (uuid_v7(), ${operation}, ${caller}, clock_timestamp())`
  return 0
}

/**
 * The time until the oldest of the last `max` calls leaves the span, by the database's clock.
 *
 * @returns ms. 0 if another call would count.
 */
export async function readCallWait(
  client: Client,
  { operation, caller }: CountedCalls,
  { max, windowMs }: CallLimit,
): Promise<number> {
  const [row] = await client.$queryRaw<{ wait_ms: number }[]>`
    SELECT (extract(epoch FROM created_at - clock_timestamp()) * 1000 + ${windowMs}::float8)::float8 AS wait_ms
    FROM counted_calls WHERE operation = ${operation} AND caller = ${caller}
    ORDER BY created_at DESC OFFSET ${max - 1} LIMIT 1`
  return Math.max(row?.wait_ms ?? 0, 0)
}

/** Deletes calls that no longer count. Returns their number. */
export const dropOldCalls = (
  database: Database,
  windowMs: number,
  options?: DeletionOptions,
): Promise<number> => deleteOld(database, { windowMs }, options)

/** Deletes calls that were made some time ago. */
const deleteOld = defineDeletionBy({
  name: 'delete-old-counted-calls',
  table: 'counted_calls',
  takes: { windowMs: float },
  where: `created_at < now() - :windowMs * interval '1 ms'`,
})
