import type { Database, Transaction } from './database.ts'

const abandonStatement = `
  WITH gone AS (
    DELETE FROM pending_deliveries p USING webhook_endpoints e
    WHERE e.id = p.endpoint_id AND e.deleted_at IS NOT NULL
      AND (p.lease_id IS NULL OR p.held_until < now())
    RETURNING p.delivery_id, p.attempts_made
  )
  UPDATE deliveries d SET outcome = 'dead', dead = true, completed_at = now(), attempt_count = gone.attempts_made
  FROM gone WHERE d.id = gone.delivery_id`

/**
 * Ends the unfinished deliveries of deleted endpoints as dead. Runs with a deletion, and from time to
 * time for what a publish made at the same moment.
 *
 * @returns how many ended.
 */
export const abandonDeliveries = (client: Transaction | Database['prisma']): Promise<number> =>
  client.$executeRawUnsafe(abandonStatement)
