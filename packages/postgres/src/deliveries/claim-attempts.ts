import type { ClaimedAttempt, TakenAttempt } from '@hosting/core/webhooks'
import { types, type RowOf } from '../database/column-types.ts'
import { quickCommit, type Database } from '../database/database.ts'
import { rangeOfIds } from '../database/id-range.ts'
import { defineStatement, runPrepared } from '../database/statement.ts'
import { wakeEndpoints } from './endpoint-wakeups.ts'
import { spacingOf, startDelayOf, toleranceOf } from './throttle-statements.ts'
import { isOpen } from '../webhooks/open-endpoint.ts'

const { bool, int, float, listOf, notNull, nothing, nullable, text, time, uuid } = types

/**
 * Claims attempts for the worker that has their jobs. Only one process at a time can claim a delivery,
 * and only for its next attempt. An attempt that is not returned must not be made: it was already made,
 * is held by another process, was postponed, or its endpoint is disabled or deleted.
 *
 * The deliveries of a disabled endpoint remain as rows and wait. Those of an endpoint without a valid
 * secret are postponed by a minute. Those that exceed the rate limit of their endpoint, or are not due yet,
 * are postponed until they may start. A delivery whose event is missing becomes dead. The statement that claims
 * also reads the endpoint and its secrets, so every change committed before it applies to these attempts.
 *
 * @param leaseMs - the time after which another process may take over the attempts.
 */
export async function claimAttempts(
  database: Database,
  taken: readonly TakenAttempt[],
  leaseMs: number,
): Promise<ClaimedAttempt[]> {
  const leaseEndsMs = performance.now() + leaseMs
  const rows = await runPrepared(database, claimStatement, {
    deliveryIds: taken.map(({ deliveryId }) => deliveryId),
    attemptsMade: taken.map(({ number }) => number - 1),
    leaseIds: taken.map(({ leaseId }) => leaseId),
    leaseMs,
  })
  const events = await readEvents(database, rows)
  const withoutEvent = rows.filter(({ eventRef }) => !events.has(eventRef))
  if (withoutEvent.length > 0) await endWithoutEvent(database, withoutEvent)
  return rows.flatMap(({ attemptsMade, secretIds, eventRef, ...claimed }) => {
    const event = events.get(eventRef)
    if (!event) return []
    return {
      state: 'claimed',
      ...claimed,
      number: attemptsMade + 1,
      leaseEndsMs,
      secretIds: secretIds.split(','),
      ...event,
    }
  })
}

/**
 * Reads the events of claimed deliveries, by their ids. A statement of its own, because the
 * table is partitioned and the claim locks rows (docs/decisions/0070-records-apart-from-row-locks.md). Events
 * do not change, and a delivery keeps its event.
 */
async function readEvents(database: Database, rows: readonly ClaimRow[]) {
  const refs = rows.map(({ eventRef }) => eventRef)
  const [lowestId, highestId] = rangeOfIds(refs)
  const events =
    refs.length === 0
      ? []
      : await runPrepared(database, eventsStatement, { refs, lowestId, highestId })
  return new Map(events.map(({ id, ...event }) => [id, event]))
}

/** Gives events by their ids. The bounds limit the partitions that it reads. It locks nothing. */
const eventsStatement = defineStatement({
  name: 'read-events',
  takes: { refs: listOf(uuid), lowestId: uuid, highestId: uuid },
  gives: { id: uuid, eventId: uuid, eventType: text, payload: text, traceParent: nullable(text) },
  sql: `
    SELECT id, event_id, type AS event_type, payload, trace_parent FROM events
    WHERE id = ANY (:refs) AND id BETWEEN :lowestId AND :highestId`,
})

/** Marks leased deliveries without an event as dead. */
const endWithoutEvent = (database: Database, rows: readonly ClaimRow[]): Promise<unknown> =>
  runPrepared(database, endStatement, {
    deliveryIds: rows.map(({ deliveryId }) => deliveryId),
    leaseIds: rows.map(({ leaseId }) => leaseId),
  })

/** Ends leased deliveries as dead, and removes them from the queue. */
const endStatement = defineStatement({
  name: 'end-without-event',
  takes: { deliveryIds: listOf(uuid), leaseIds: listOf(uuid) },
  gives: { ended: nothing },
  sql: `
  WITH ended AS (
    DELETE FROM pending_deliveries p USING unnest(:deliveryIds, :leaseIds) AS d (delivery_id, lease_id)
    WHERE p.delivery_id = d.delivery_id AND p.lease_id = d.lease_id
    RETURNING p.delivery_id, p.attempts_made, p.last_status_code, p.last_error_class
  )
  SELECT end_deliveries(array_agg(delivery_id), array_agg('dead'::delivery_outcome),
    array_agg(attempts_made), array_agg(now()), array_agg(last_status_code), array_agg(last_error_class)) AS ended
  FROM ended`,
})

/** By how long an attempt is postponed if its endpoint has no secret to sign it with. */
const withoutSecretMs = 60_000

/**
 * Leases deliveries and reads their endpoints. It locks the rows of the queue, skipping those that are locked, and then
 * the throttles of endpoints with a rate limit, in the order of their ids.
 */
const claimStatement = defineStatement({
  name: 'claim-attempts',
  takes: {
    /** One element per claim in each list. */
    deliveryIds: listOf(uuid),
    attemptsMade: listOf(int),
    leaseIds: listOf(uuid),
    leaseMs: float,
  },
  gives: {
    deliveryId: uuid,
    attemptsMade: int,
    leaseId: notNull(uuid, 'set by the update'),
    tenantId: uuid,
    endpointId: uuid,
    url: text,
    /** Separated by commas: pg reads a text faster than an array. */
    secretIds: notNull(text, 'part of the condition'),
    eventRef: uuid,
    startBy: nullable(time),
    standardWebhooks: bool,
    headersId: nullable(uuid),
  },
  sql: `
  WITH job AS (
    SELECT DISTINCT ON (j.delivery_id) j.*
    FROM ${quickCommit},
      unnest(:deliveryIds, :attemptsMade, :leaseIds) AS j (delivery_id, attempts_made, lease_id)
  ), free AS (
    SELECT p.delivery_id, p.endpoint_id, p.due_at, j.lease_id
    FROM job j
    JOIN pending_deliveries p ON p.delivery_id = j.delivery_id AND p.attempts_made = j.attempts_made
    WHERE p.lease_id IS NULL OR p.held_until < now() OR p.lease_id = j.lease_id
    FOR UPDATE OF p SKIP LOCKED
  ), target AS MATERIALIZED (
    SELECT e.id, e.url, e.rate_limit_per_second AS rate, ${isOpen('e')} AS open, (
        SELECT string_agg(s.id::text, ',' ORDER BY s.created_at DESC, s.id DESC)
        FROM webhook_secrets s
        WHERE s.endpoint_id = e.id AND (s.expires_at IS NULL OR s.expires_at > now())
      ) AS secret_ids, e.standard_webhooks,
      (SELECT h.id FROM webhook_headers h WHERE h.endpoint_id = e.id) AS headers_id
    FROM webhook_endpoints e WHERE e.id IN (SELECT endpoint_id FROM free)
  ), throttle AS MATERIALIZED (
    SELECT endpoint_id, next_at FROM webhook_throttles
    WHERE endpoint_id = ANY (ARRAY(
      SELECT id FROM target WHERE rate IS NOT NULL AND open AND secret_ids IS NOT NULL
    ))
    ORDER BY endpoint_id FOR UPDATE
  ), allowance AS MATERIALIZED (
    SELECT endpoint_id, from_at, spacing, at + start_delay AS start_by,
      1 + floor(extract(epoch FROM at + tolerance - from_at) / extract(epoch FROM spacing)) AS starts
    FROM (
      SELECT endpoint_id, at, greatest(next_at, at) AS from_at, ${spacingOf('t.rate')} AS spacing,
        ${toleranceOf('t.rate')} AS tolerance, ${startDelayOf('t.rate')} AS start_delay
      -- The time after the lock, which may be later than that of the statement.
      FROM (SELECT *, clock_timestamp() AS at FROM throttle OFFSET 0) locked
      JOIN target t ON t.id = locked.endpoint_id
    ) a
  ), turn AS MATERIALIZED (
    SELECT f.delivery_id, f.endpoint_id, f.lease_id, t.open, t.url, t.secret_ids, t.standard_webhooks,
      t.headers_id, a.start_by,
      -- A job is early if the clocks of the machines that add and start it differ.
      f.due_at <= now() AND (t.rate IS NULL OR coalesce(
        row_number() OVER (PARTITION BY f.endpoint_id ORDER BY f.due_at, f.delivery_id) <= a.starts, false
      )) AS may_start
    FROM free f JOIN target t ON t.id = f.endpoint_id LEFT JOIN allowance a ON a.endpoint_id = f.endpoint_id
  ), held AS (
    UPDATE pending_deliveries p SET
      lease_id = CASE WHEN t.open AND t.secret_ids IS NOT NULL AND t.may_start THEN t.lease_id END,
      held_until = CASE
        WHEN NOT t.open THEN 'epoch'
        WHEN t.secret_ids IS NULL THEN now() + ${withoutSecretMs} * interval '1 ms'
        WHEN NOT t.may_start THEN 'epoch'
        ELSE now() + :leaseMs * interval '1 ms'
      END,
      starts_at = NULL
    FROM turn t
    WHERE p.delivery_id = t.delivery_id
    RETURNING p.delivery_id, p.attempts_made, p.lease_id, p.tenant_id, p.endpoint_id, p.event_ref, p.due_at,
      t.open, t.url, t.secret_ids, t.may_start, t.start_by,
      t.standard_webhooks, t.headers_id
  ), started AS (
    UPDATE webhook_throttles w SET next_at = a.from_at + a.claimed * a.spacing
    FROM (
      SELECT a.endpoint_id, a.from_at, a.spacing, count(*) AS claimed
      FROM allowance a JOIN turn USING (endpoint_id) WHERE may_start
      GROUP BY a.endpoint_id, a.from_at, a.spacing
    ) a
    WHERE w.endpoint_id = a.endpoint_id
  ), postponed AS (
    SELECT endpoint_id, tenant_id, false AS slow, greatest(due_at, now()) AS at FROM held
    WHERE open AND secret_ids IS NOT NULL AND NOT may_start
  ), woken AS (${wakeEndpoints('postponed')}
  )
  SELECT h.delivery_id, h.attempts_made, h.lease_id, h.tenant_id, h.endpoint_id, h.url, h.secret_ids, h.event_ref,
    h.start_by, h.standard_webhooks, h.headers_id
  FROM held h
  WHERE h.open AND h.secret_ids IS NOT NULL AND h.may_start`,
})

type ClaimRow = RowOf<typeof claimStatement.gives>

/** Returns encrypted signing secrets by id. The secret of an id never changes, so callers may cache it. */
export async function findEncryptedSecrets(
  database: Database,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await runPrepared(database, encryptedStatement, { ids })
  return new Map(rows.map(({ id, encrypted }) => [id, encrypted]))
}

/** Gives encrypted signing secrets by their ids. It locks nothing. */
const encryptedStatement = defineStatement({
  name: 'find-encrypted-secrets',
  takes: { ids: listOf(uuid) },
  gives: { id: uuid, encrypted: text },
  sql: 'SELECT id, encrypted FROM webhook_secrets WHERE id = ANY (:ids)',
})
