import { types } from '../database/column-types.ts'
import type { Client, Database } from '../database/database.ts'
import { defineStatement, run, runIn } from '../database/statement.ts'
import { isUnderway, ofBoth, stateTables } from './delivery-select.ts'

const { listOf, named, notNull, uuid } = types

/**
 * What can be done with a delivery among many: `waiting` can be retried now. `failed` and `arrived` can be redelivered;
 * the event of the latter has reached the endpoint, by this delivery or another one. `underway`: a delivery of the event is
 * in progress, so another one would arrive beside it. `gone`: the endpoint is deleted.
 */
export type BulkKind = 'waiting' | 'failed' | 'arrived' | 'underway' | 'gone'

/** Returns those of the ids that are deliveries of the organization, in order. */
export async function findOwnDeliveries(
  { pool }: Pick<Database, 'pool'>,
  tenantId: string,
  ids: readonly string[],
): Promise<string[]> {
  return (await run(pool, ownStatement, { tenantId, ids })).map(({ id }) => id)
}

/** Returns those of the deliveries that belong to an organization, the oldest first. Locks nothing. */
const ownStatement = defineStatement({
  name: 'find-own-deliveries',
  takes: { tenantId: uuid, ids: listOf(uuid) },
  gives: { id: ofBoth(uuid) },
  sql: 'SELECT id FROM delivery_states WHERE id = ANY (:ids) AND tenant_id = :tenantId ORDER BY id',
})

/** Tells what can be done with deliveries. Of several of an event to an endpoint that ended, all but the newest are `underway`. */
export async function chooseInBulk(
  client: Client,
  ids: readonly string[],
): Promise<ReadonlyMap<string, BulkKind>> {
  const chosen = new Map<string, BulkKind>()
  const seen = new Set<string>()
  for (const { id, eventRef, endpointId, kind } of await runIn(client, kindStatement, { ids })) {
    const event = `${eventRef} ${endpointId}`
    const isSecond = (kind === 'failed' || kind === 'arrived') && seen.has(event)
    chosen.set(id, isSecond ? 'underway' : kind)
    seen.add(event)
  }
  return chosen
}

/** Returns what can be done with each of the deliveries, the newest first. Locks nothing. */
const kindStatement = defineStatement({
  name: 'choose-deliveries-in-bulk',
  takes: { ids: listOf(uuid) },
  gives: {
    id: ofBoth(uuid),
    eventRef: ofBoth(uuid),
    endpointId: ofBoth(uuid),
    kind: notNull(named<BulkKind>('text'), 'has an ELSE'),
  },
  sql: `
    SELECT d.id, d.event_ref, d.endpoint_id, CASE
      WHEN e.id IS NULL OR e.deleted_at IS NOT NULL THEN 'gone'
      WHEN d.outcome IS NULL THEN
        CASE WHEN d.attempt_count > 0 AND NOT (${isUnderway}) AND is_open(e) THEN 'waiting' ELSE 'underway' END
      WHEN (SELECT true FROM pending_deliveries r WHERE r.event_ref = d.event_ref AND r.endpoint_id = d.endpoint_id
        LIMIT 1) THEN 'underway'
      WHEN d.outcome = 'succeeded' OR (SELECT true FROM deliveries r WHERE r.event_ref = d.event_ref
        AND r.endpoint_id = d.endpoint_id AND r.outcome = 'succeeded' LIMIT 1) THEN 'arrived'
      ELSE 'failed' END AS kind
    FROM ${stateTables} WHERE d.id = ANY (:ids) ORDER BY d.id DESC`,
})
