import { quickCommit, runPrepared, type Database } from '../database/database.ts'
import { wakeEndpoints } from './endpoint-wakeups.ts'
import { rangeOfIds } from '../database/id-range.ts'
import { spacingOf, startDelayOf, toleranceOf } from './throttle-statements.ts'

/** Identifies one attempt of one delivery. This is the content of a job. */
export interface AttemptName {
  readonly deliveryId: string
  /** Starts at 1. */
  readonly number: number
}

/** A request to claim an attempt. */
export interface AttemptClaim extends AttemptName {
  /**
   * Identifies the claim. Finishing the attempt requires it. Claiming again with the same id returns the
   * attempt again.
   */
  readonly leaseId: string
}

/** An attempt that this process has the lease for, with everything needed to send it. */
export interface ClaimedAttempt extends AttemptClaim {
  readonly tenantId: string
  readonly endpointId: string
  readonly url: string
  /** The ids of the endpoint's valid secrets, newest first. */
  readonly secretIds: readonly string[]
  /** The id of the endpoint's custom headers. */
  readonly headersId: string | null
  /** Whether the attempt carries the headers of Standard Webhooks. */
  readonly standardWebhooks: boolean
  /** The public id of the event. */
  readonly eventId: string
  readonly eventType: string
  readonly payload: string
  /** The trace in which the event was published. */
  readonly traceParent: string | null
  /** The latest time at which the attempt may start. `null`: its endpoint has no rate limit. */
  readonly startBy: Date | null
}

/**
 * Claims attempts for the worker that has their jobs. Only one process at a time can claim a delivery,
 * and only for its next attempt. An attempt that is not returned must not be made: it was already made,
 * is held by another process, or its endpoint is disabled or deleted.
 *
 * The deliveries of a disabled endpoint remain as rows and wait. Those of an endpoint without a valid
 * secret wait for a minute. Those that exceed the rate limit of their endpoint are left to the relay. A delivery whose event is missing becomes dead. The statement that claims
 * also reads the endpoint and its secrets, so every change committed before it applies to these attempts.
 *
 * @param leaseMs - the time after which another process may take over the attempts.
 */
export async function claimAttempts(
  database: Database,
  claims: readonly AttemptClaim[],
  leaseMs: number,
): Promise<ClaimedAttempt[]> {
  const rows = await runPrepared<ClaimRow>(database, 'claim-attempts', claimStatement, [
    claims.map(({ deliveryId }) => deliveryId),
    claims.map(({ number }) => number - 1),
    claims.map(({ leaseId }) => leaseId),
    leaseMs,
    ...rangeOfIds(
      claims.map(({ deliveryId }) => deliveryId),
      eventAgeMs,
    ),
  ])
  const held = await withOlderEvents(database, rows)
  const withoutEvent = held.filter((row) => row.payload === null)
  if (withoutEvent.length > 0) await endWithoutEvent(database, withoutEvent)
  return held.flatMap(({ payload, event_id, type, ...row }) =>
    payload === null
      ? []
      : {
          deliveryId: row.delivery_id,
          number: row.attempts_made + 1,
          leaseId: row.lease_id,
          tenantId: row.tenant_id,
          endpointId: row.endpoint_id,
          url: row.url,
          secretIds: row.secret_ids.split(','),
          headersId: row.headers_id,
          standardWebhooks: row.standard_webhooks,
          eventId: event_id!,
          eventType: type!,
          payload,
          traceParent: row.trace_parent,
          startBy: row.start_by,
        },
  )
}

/**
 * The usual difference in age between a delivery and its event, in ms. A redelivery may be created much
 * later.
 */
const eventAgeMs = 60_000

/**
 * Adds events that are much older than their deliveries. The claim looks only for events of about the
 * same time.
 */
async function withOlderEvents(
  { pool }: Database,
  rows: readonly ClaimRow[],
): Promise<readonly ClaimRow[]> {
  const missing = rows.filter((row) => row.payload === null)
  if (missing.length === 0) return rows
  const { rows: found } = await pool.query<EventRow & { id: string }>(
    'SELECT id, event_id, type, payload, trace_parent FROM events WHERE id = ANY ($1::uuid[])',
    [missing.map((row) => row.event_ref)],
  )
  const events = new Map(found.map(({ id, ...event }) => [id, event]))
  return rows.map((row) => ({ ...row, ...events.get(row.event_ref) }))
}

/** Marks leased deliveries without an event as dead. */
const endWithoutEvent = (database: Database, rows: readonly ClaimRow[]): Promise<unknown> =>
  runPrepared(database, 'end-without-event', endStatement, [
    rows.map((row) => row.delivery_id),
    rows.map((row) => row.lease_id),
  ])

const endStatement = `
  WITH ended AS (
    DELETE FROM pending_deliveries p USING unnest($1::uuid[], $2::uuid[]) AS d (delivery_id, lease_id)
    WHERE p.delivery_id = d.delivery_id AND p.lease_id = d.lease_id
    RETURNING p.delivery_id, p.attempts_made
  )
  UPDATE deliveries d SET
    outcome = 'dead', dead = true, attempt_count = ended.attempts_made, completed_at = now()
  FROM ended WHERE d.id = ended.delivery_id`

/** How long a delivery waits if its endpoint has no secret to sign it with. */
const withoutSecretMs = 60_000

const claimStatement = `
  WITH job AS (
    SELECT DISTINCT ON (j.delivery_id) j.*
    FROM ${quickCommit},
      unnest($1::uuid[], $2::int[], $3::uuid[]) AS j (delivery_id, attempts_made, lease_id)
  ), free AS (
    SELECT p.delivery_id, p.endpoint_id, p.due_at, j.lease_id
    FROM job j
    JOIN pending_deliveries p ON p.delivery_id = j.delivery_id AND p.attempts_made = j.attempts_made
    WHERE p.lease_id IS NULL OR p.held_until < now() OR p.lease_id = j.lease_id
    FOR UPDATE OF p SKIP LOCKED
  ), target AS MATERIALIZED (
    SELECT e.id, e.url, e.rate_limit_per_second AS rate, e.enabled AND e.deleted_at IS NULL AS open, (
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
      t.rate IS NULL OR coalesce(row_number() OVER (PARTITION BY f.endpoint_id ORDER BY f.due_at, f.delivery_id)
        <= a.starts, false) AS may_start
    FROM free f JOIN target t ON t.id = f.endpoint_id LEFT JOIN allowance a ON a.endpoint_id = f.endpoint_id
  ), held AS (
    UPDATE pending_deliveries p SET
      lease_id = CASE WHEN t.open AND t.secret_ids IS NOT NULL AND t.may_start THEN t.lease_id END,
      held_until = CASE
        WHEN NOT t.open THEN 'epoch'
        WHEN t.secret_ids IS NULL THEN now() + ${withoutSecretMs} * interval '1 ms'
        WHEN NOT t.may_start THEN 'epoch'
        ELSE now() + $4 * interval '1 ms'
      END,
      starts_at = NULL
    FROM turn t
    WHERE p.delivery_id = t.delivery_id
    RETURNING p.delivery_id, p.attempts_made, p.lease_id, p.tenant_id, p.endpoint_id, p.event_ref,
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
  ), refused AS (
    SELECT endpoint_id, tenant_id, false AS slow, now() AS at FROM held
    WHERE open AND secret_ids IS NOT NULL AND NOT may_start
  ), woken AS (${wakeEndpoints('refused')}
  )
  SELECT h.delivery_id, h.attempts_made, h.lease_id, h.tenant_id, h.endpoint_id, h.url, h.secret_ids, h.event_ref,
    h.start_by, h.standard_webhooks, h.headers_id, ev.event_id, ev.type, ev.payload, ev.trace_parent
  FROM held h LEFT JOIN events ev ON ev.id = h.event_ref AND ev.id BETWEEN $5::uuid AND $6::uuid
  WHERE h.open AND h.secret_ids IS NOT NULL AND h.may_start`

interface ClaimRow extends EventRow {
  delivery_id: string
  attempts_made: number
  lease_id: string
  tenant_id: string
  endpoint_id: string
  url: string
  secret_ids: string
  standard_webhooks: boolean
  headers_id: string | null
  event_ref: string
  start_by: Date | null
}

interface EventRow {
  event_id: string | null
  type: string | null
  /** `null` if the event is missing. */
  payload: string | null
  trace_parent: string | null
}

/** Returns sealed signing secrets by id. The secret of an id never changes, so callers may cache it. */
export async function findSealedSecrets(
  database: Database,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await runPrepared<{ id: string; sealed: string }>(
    database,
    'find-sealed-secrets',
    'SELECT id, sealed FROM webhook_secrets WHERE id = ANY ($1::uuid[])',
    [ids],
  )
  return new Map(rows.map(({ id, sealed }) => [id, sealed]))
}
