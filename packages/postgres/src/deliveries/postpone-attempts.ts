import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, runPrepared } from '../database/statement.ts'
import { wakeEndpoints } from './endpoint-wakeups.ts'

const { float, listOf, uuid } = types

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
  await runPrepared(database, postponeStatement, {
    deliveryIds: postponed.map(({ deliveryId }) => deliveryId),
    leaseIds: postponed.map(({ leaseId }) => leaseId),
    holdMs,
  })
}

const postponeStatement = defineStatement({
  name: 'postpone-attempts',
  takes: { deliveryIds: listOf(uuid), leaseIds: listOf(uuid), holdMs: float },
  gives: {},
  sql: `
  WITH postponed AS (
    UPDATE pending_deliveries p SET lease_id = NULL, held_until = now() + :holdMs * interval '1 ms'
    FROM unnest(:deliveryIds, :leaseIds) AS d (delivery_id, lease_id)
    WHERE p.delivery_id = d.delivery_id AND p.lease_id = d.lease_id
    RETURNING p.endpoint_id, p.tenant_id, false AS slow, p.held_until AS at
  )
  ${wakeEndpoints('postponed')}`,
})
