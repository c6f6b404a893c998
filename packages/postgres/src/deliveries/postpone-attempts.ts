import { runPrepared, type Database } from '../database/database.ts'
import { wakeEndpoints } from './endpoint-wakeups.ts'

/** A claimed attempt that cannot be made yet. */
export interface PostponedAttempt {
  readonly deliveryId: string
  readonly leaseId: string
}

/**
 * Releases the leases of attempts and holds their deliveries for a while, after which the relay takes
 * them again. It consumes no attempt, and the deliveries remain due.
 *
 * @param holdMs - how long they are held, in ms.
 */
export async function postponeAttempts(
  database: Database,
  postponed: readonly PostponedAttempt[],
  holdMs: number,
): Promise<void> {
  await runPrepared(database, 'postpone-attempts', postponeStatement, [
    postponed.map(({ deliveryId }) => deliveryId),
    postponed.map(({ leaseId }) => leaseId),
    holdMs,
  ])
}

const postponeStatement = `
  WITH postponed AS (
    UPDATE pending_deliveries p SET lease_id = NULL, held_until = now() + $3::float8 * interval '1 ms'
    FROM unnest($1::uuid[], $2::uuid[]) AS d (delivery_id, lease_id)
    WHERE p.delivery_id = d.delivery_id AND p.lease_id = d.lease_id
    RETURNING p.endpoint_id, p.tenant_id, false AS slow, p.held_until AS at
  )
  ${wakeEndpoints('postponed')}`
