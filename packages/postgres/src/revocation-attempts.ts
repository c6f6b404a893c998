import type { Database, Transaction } from './database.ts'

/** How many calls an address may make in any span of `windowMs`. */
export interface AttemptLimit {
  readonly max: number
  readonly windowMs: number
}

/**
 * Counts a call of an address, unless it has made as many as it may. Calls of the same address that count
 * wait for each other until the transaction ends; those that are refused wait for nobody.
 *
 * @param ipGroup - an IPv4 address or an IPv6 /64.
 * @returns how long the caller has to wait, in ms; 0 if the call counts.
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

/** Until the oldest of the last `max` calls is out of the span, by the database's clock. */
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

/** Removes calls that count no more; gives how many. */
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
