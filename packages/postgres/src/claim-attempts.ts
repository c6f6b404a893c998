import { quickCommit, runPrepared, type Database } from './database.ts'
import { rangeOfIds } from './id-range.ts'

/** Names one attempt of one delivery: what a job carries. */
export interface AttemptName {
  readonly deliveryId: string
  /** From 1. */
  readonly number: number
}

/** An attempt to be claimed. */
export interface AttemptClaim extends AttemptName {
  /** Names the claim; finishing needs it. Claiming again under the same name gives the attempt again. */
  readonly leaseId: string
}

/** An attempt that this process holds the lease for, with all that sending it takes. */
export interface ClaimedAttempt extends AttemptClaim {
  readonly tenantId: string
  readonly endpointId: string
  readonly url: string
  /** The ids of the endpoint's valid secrets, newest first. */
  readonly secretIds: readonly string[]
  readonly eventType: string
  readonly payload: string
  /** Of the trace that the event was published in. */
  readonly traceParent: string | null
}

/**
 * Claims attempts for the worker that has their jobs: one process at a time holds a delivery, and only
 * for the attempt that comes next. What is not given back is not to be made: it was made already, is
 * held elsewhere, or its endpoint is disabled or deleted. Deliveries of a disabled endpoint are left to
 * wait as rows, those of an endpoint without a valid secret for a minute. A delivery whose event is missing ends as
 * dead. Endpoint and secrets are read by the same statement, so that whatever was changed before
 * it holds for these attempts.
 *
 * @param leaseMs - after which another process may take the attempts over.
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
  return held.flatMap(({ payload, type, ...row }) =>
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
          eventType: type!,
          payload,
          traceParent: row.trace_parent,
        },
  )
}

/** A delivery is made with its event, or much later: when it is asked for once more. In ms. */
const eventAgeMs = 60_000

/** Adds the events that are much older than their deliveries: the claim looks only among those of the same time. */
async function withOlderEvents(
  { pool }: Database,
  rows: readonly ClaimRow[],
): Promise<readonly ClaimRow[]> {
  const missing = rows.filter((row) => row.payload === null)
  if (missing.length === 0) return rows
  const { rows: found } = await pool.query<EventRow & { id: string }>(
    'SELECT id, type, payload, trace_parent FROM events WHERE id = ANY ($1::uuid[])',
    [missing.map((row) => row.event_ref)],
  )
  const events = new Map(found.map(({ id, ...event }) => [id, event]))
  return rows.map((row) => ({ ...row, ...events.get(row.event_ref) }))
}

/** Ends deliveries that there is nothing to send for; they are leased. */
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

/** How long a delivery waits whose endpoint has no secret to sign it with. */
const withoutSecretMs = 60_000

const claimStatement = `
  WITH job AS (
    SELECT DISTINCT ON (j.delivery_id) j.*
    FROM ${quickCommit},
      unnest($1::uuid[], $2::int[], $3::uuid[]) AS j (delivery_id, attempts_made, lease_id)
  ), free AS (
    SELECT p.delivery_id, p.endpoint_id, j.lease_id
    FROM job j
    JOIN pending_deliveries p ON p.delivery_id = j.delivery_id AND p.attempts_made = j.attempts_made
    WHERE p.lease_id IS NULL OR p.held_until < now() OR p.lease_id = j.lease_id
    FOR UPDATE OF p SKIP LOCKED
  ), target AS MATERIALIZED (
    SELECT e.id, e.url, e.enabled AND e.deleted_at IS NULL AS open, (
        SELECT string_agg(s.id::text, ',' ORDER BY s.created_at DESC, s.id DESC)
        FROM webhook_secrets s
        WHERE s.endpoint_id = e.id AND (s.expires_at IS NULL OR s.expires_at > now())
      ) AS secret_ids
    FROM webhook_endpoints e WHERE e.id IN (SELECT endpoint_id FROM free)
  ), held AS (
    UPDATE pending_deliveries p SET
      lease_id = CASE WHEN t.open AND t.secret_ids IS NOT NULL THEN f.lease_id END,
      held_until = CASE
        WHEN NOT t.open THEN 'epoch'
        WHEN t.secret_ids IS NULL THEN now() + ${withoutSecretMs} * interval '1 ms'
        ELSE now() + $4 * interval '1 ms'
      END
    FROM free f JOIN target t ON t.id = f.endpoint_id
    WHERE p.delivery_id = f.delivery_id
    RETURNING p.delivery_id, p.attempts_made, p.lease_id, p.tenant_id, p.endpoint_id, p.event_ref,
      t.open, t.url, t.secret_ids
  )
  SELECT h.delivery_id, h.attempts_made, h.lease_id, h.tenant_id, h.endpoint_id, h.url, h.secret_ids, h.event_ref,
    ev.type, ev.payload, ev.trace_parent
  FROM held h LEFT JOIN events ev ON ev.id = h.event_ref AND ev.id BETWEEN $5::uuid AND $6::uuid
  WHERE h.open AND h.secret_ids IS NOT NULL`

interface ClaimRow extends EventRow {
  delivery_id: string
  attempts_made: number
  lease_id: string
  tenant_id: string
  endpoint_id: string
  url: string
  secret_ids: string
  event_ref: string
}

interface EventRow {
  type: string | null
  /** `null`: the event is missing. */
  payload: string | null
  trace_parent: string | null
}

/** Signing secrets by id, sealed. What an id stands for never changes, so it may be kept. */
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
