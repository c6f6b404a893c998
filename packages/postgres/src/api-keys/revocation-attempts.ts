import type { Database, Transaction } from '../database/database.ts'

/** The most calls of an address in any span of `windowMs`. */
export interface AttemptLimit {
  readonly max: number
  readonly windowMs: number
}

/**
 * Counts a call of an address, unless the address has reached its limit. Calls of the same address that
 * count are serialized until the transaction ends. Calls over the limit do not wait.
 *
 * @param ipGroup - an IPv4 address or an IPv6 /64.
 * @returns how long the caller has to wait, in ms. 0 if the call counts.
 */
export async function takeRevocationAttempt(
  tx: Transaction,
  ipGroup: string,
  limit: AttemptLimit,
): Promise<number> {
  const waitMs = await readWait(tx, ipGroup, limit)
  if (waitMs > 0) return waitMs
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`revocation ${ipGroup}`}, 0))`
  const lockedWaitMs = await readWait(tx, ipGroup, limit)
  if (lockedWaitMs > 0) return lockedWaitMs
  await tx.$executeRaw`
    INSERT INTO revocation_attempts (id, ip_group, created_at)
    VALUES (uuid_v7(), ${ipGroup}, clock_timestamp())`
  return 0
}

/** The time until the oldest of the last `max` calls leaves the span, by the database's clock. */
async function readWait(
  tx: Transaction,
  ipGroup: string,
  { max, windowMs }: AttemptLimit,
): Promise<number> {
  const [row] = await tx.$queryRaw<{ wait_ms: number }[]>`
    SELECT (extract(epoch FROM created_at - clock_timestamp()) * 1000 + ${windowMs}::float8)::float8 AS wait_ms
    FROM revocation_attempts WHERE ip_group = ${ipGroup}
    ORDER BY created_at DESC OFFSET ${max - 1} LIMIT 1`
  return Math.max(row?.wait_ms ?? 0, 0)
}

/** Deletes calls that no longer count. Returns their number. */
export async function dropOldRevocationAttempts(
  { pool }: Database,
  windowMs: number,
): Promise<number> {
  const { rowCount } = await pool.query(
    `DELETE FROM revocation_attempts WHERE created_at < now() - $1 * interval '1 ms'`,
    [windowMs],
  )
  return rowCount ?? 0
}
