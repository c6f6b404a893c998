import type { Database } from '@hosting/postgres/database'

/** Lets the relay take held deliveries immediately. */
export async function releaseHeld({ pool }: Database): Promise<void> {
  await pool.query(
    `WITH released AS (
       UPDATE pending_deliveries SET held_until = 'epoch' WHERE lease_id IS NULL RETURNING endpoint_id, tenant_id
     )
     INSERT INTO endpoint_wakeups (endpoint_id, tenant_id, at)
     SELECT DISTINCT endpoint_id, tenant_id, now() FROM released`,
  )
}
