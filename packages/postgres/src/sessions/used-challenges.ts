import type { Database } from '../database/database.ts'

/**
 * Uses a challenge of a passkey. Of several calls on any processes, only the first returns true.
 *
 * @param challengeHash - SHA-256 of the challenge.
 * @param lifetimeMs - how long the challenge can be shown again, in ms.
 */
export async function takeChallenge(
  { pool }: Database,
  challengeHash: Uint8Array,
  lifetimeMs: number,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `INSERT INTO used_challenges (challenge_hash, expires_at)
     VALUES ($1, clock_timestamp() + $2 * interval '1 ms') ON CONFLICT DO NOTHING`,
    [challengeHash, lifetimeMs],
  )
  return rowCount === 1
}

/** Deletes used challenges that have expired. Returns their number. */
export async function dropExpiredChallenges({ pool }: Database): Promise<number> {
  const { rowCount } = await pool.query('DELETE FROM used_challenges WHERE expires_at < now()')
  return rowCount ?? 0
}
