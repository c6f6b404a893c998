import type { Database } from '../database/database.ts'

/**
 * Uses the `state` of a sign-in by the identity provider. Of several calls on any processes, only the first returns
 * true.
 *
 * @param stateHash - SHA-256 of the state.
 * @param lifetimeMs - how long the state can be shown again, in ms.
 */
export async function takeOidcState(
  { pool }: Database,
  stateHash: Uint8Array,
  lifetimeMs: number,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `INSERT INTO used_oidc_states (state_hash, expires_at)
     VALUES ($1, clock_timestamp() + $2 * interval '1 ms') ON CONFLICT DO NOTHING`,
    [stateHash, lifetimeMs],
  )
  return rowCount === 1
}

/** Deletes used states that have expired. Returns their number. */
export async function dropExpiredOidcStates({ pool }: Database): Promise<number> {
  const { rowCount } = await pool.query('DELETE FROM used_oidc_states WHERE expires_at < now()')
  return rowCount ?? 0
}
