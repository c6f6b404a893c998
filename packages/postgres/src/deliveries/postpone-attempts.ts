import type { UnfinishedAttempt } from '@hosting/core/webhooks'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineHotStatement, runPrepared } from '../database/statement.ts'
import { wakeEndpoints } from './endpoint-wakeups.ts'

const { float, listOf, nullable, uuid } = types

/** An attempt that is not made now. */
export interface PostponedAttempt {
  readonly attempt: UnfinishedAttempt
  /** How long the relay leaves it, in ms. */
  readonly forMs: number
}

/**
 * Postpones attempts: releases the hold of a job, or the lease of a worker, and lets the relay take them again. They
 * remain due, and none is used up. Ignores those that another process has claimed or taken over since.
 */
export async function postponeAttempts(
  database: Database,
  postponed: readonly PostponedAttempt[],
): Promise<void> {
  await runPrepared(database, postponeStatement, {
    deliveryIds: postponed.map(({ attempt }) => attempt.deliveryId),
    leaseIds: postponed.map(({ attempt }) => leaseOf(attempt)),
    delaysMs: postponed.map(({ forMs }) => forMs),
  })
}

const leaseOf = (attempt: UnfinishedAttempt): string | null =>
  attempt.state === 'claimed' || attempt.state === 'ready' ? attempt.leaseId : null

/** Releases jobs or leases and wakes the endpoints. It locks the rows of the queue. */
const postponeStatement = defineHotStatement({
  name: 'postpone-attempts',
  takes: {
    deliveryIds: listOf(uuid),
    /** Null: no worker has claimed the attempt. */
    leaseIds: listOf(nullable(uuid)),
    delaysMs: listOf(float),
  },
  gives: {},
  sql: `
  WITH postponed AS (
    UPDATE pending_deliveries p SET lease_id = NULL,
      held_until = CASE WHEN d.delay_ms > 0 THEN now() + d.delay_ms * interval '1 ms' ELSE 'epoch' END
    FROM unnest(:deliveryIds, :leaseIds, :delaysMs) AS d (delivery_id, lease_id, delay_ms)
    WHERE p.delivery_id = ANY (ARRAY[d.delivery_id]) AND p.lease_id IS NOT DISTINCT FROM d.lease_id
    RETURNING p.endpoint_id, p.tenant_id, false AS slow, greatest(p.due_at, p.held_until, now()) AS at
  )
  ${wakeEndpoints('postponed')}`,
})
