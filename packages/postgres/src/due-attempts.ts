import type { Lane } from '@hosting/core'
import type { AttemptName } from './claim-attempts.ts'
import { quickCommit, runPrepared, type Database } from './database.ts'

/** An attempt that needs a job. */
export interface DueAttempt extends AttemptName {
  readonly endpointId: string
  readonly lane: Lane
  /** Milliseconds until it is due; 0 or less if it is due now. */
  readonly delayMs: number
}

/** What {@link takeDueAttempts} found. */
export interface DueWork {
  /** What was taken and is now to be given jobs. */
  readonly attempts: readonly DueAttempt[]
  /** The endpoints with as many due deliveries as they may have in hand, or more. */
  readonly backlogged: ReadonlySet<string>
  /** How long the oldest due delivery of an open endpoint has been due, in ms; 0 if there is none. */
  readonly oldestDueMs: number
}

/** How much may be taken. */
export interface DueLimits {
  /** How far ahead of its due time a delivery is taken, in ms. */
  readonly horizonMs: number
  /** How long after its due time a delivery is left to its job, in ms. */
  readonly holdMs: number
  /** How many deliveries of one endpoint may be in hand, by lane: waiting in Redis or being sent. */
  readonly perEndpoint: Readonly<Record<Lane, number>>
  /** How many may be taken, by lane. */
  readonly max: Readonly<Record<Lane, number>>
}

/**
 * Takes due deliveries that no job and no worker holds, and holds them for the jobs that the caller now
 * adds. Of each open endpoint only the longest due are looked at, as many as it may have in hand: while
 * these are under way, the others wait. Tenants take turns. Any number of processes may do so at once.
 *
 * @param endpointIds - looks at these endpoints alone; without it at all that have unfinished deliveries.
 */
export async function takeDueAttempts(
  database: Database,
  { horizonMs, holdMs, perEndpoint, max }: DueLimits,
  endpointIds?: readonly string[],
): Promise<DueWork> {
  const values = [horizonMs, holdMs, perEndpoint.normal, perEndpoint.slow, max.normal, max.slow]
  const rows = endpointIds
    ? await runPrepared<DueRow>(database, 'take-due-of', takeOfGiven, [...values, endpointIds])
    : await runPrepared<DueRow>(database, 'take-due', takeOfAll, values)
  const taken = rows.filter((row) => row.delivery_id !== null)
  const found = rows.filter((row) => row.delivery_id === null)
  return {
    // An UPDATE returns its rows in any order.
    attempts: taken.toSorted((a, b) => a.turn - b.turn || a.due_in_ms - b.due_in_ms).map(toAttempt),
    backlogged: new Set(found.filter((row) => row.is_full).map((row) => row.endpoint_id)),
    oldestDueMs: found.reduce((oldest, row) => Math.max(oldest, -row.due_in_ms), 0),
  }
}

const toAttempt = (row: DueRow): DueAttempt => ({
  deliveryId: row.delivery_id!,
  number: row.attempts_made + 1,
  endpointId: row.endpoint_id,
  lane: row.slow ? 'slow' : 'normal',
  delayMs: row.due_in_ms,
})

/**
 * A loose index scan steps from endpoint to endpoint and reads the longest due of each, so that one with a
 * long backlog costs no more than another, and one with retries alone that are not due costs least.
 */
const everyEndpoint = `
  RECURSIVE step AS (
    (SELECT endpoint_id, due_at FROM pending_deliveries ORDER BY endpoint_id, due_at LIMIT 1)
    UNION ALL
    SELECT next.endpoint_id, next.due_at FROM step CROSS JOIN LATERAL (
      SELECT p.endpoint_id, p.due_at FROM pending_deliveries p WHERE p.endpoint_id > step.endpoint_id
      ORDER BY p.endpoint_id, p.due_at LIMIT 1
    ) next
  ), endpoint AS (
    SELECT endpoint_id AS id FROM step WHERE due_at <= now() + $1 * interval '1 ms'
  )`

/** The rows of `due` are each endpoint's longest due, held or not; those not held are taken, in turns. */
const takeStatement = (endpoint: string): string => `
  WITH ${endpoint}, open AS MATERIALIZED (
    SELECT e.id, e.tenant_id, coalesce(h.slow_until > now(), false) AS slow
    FROM ${quickCommit}, endpoint
    JOIN webhook_endpoints e ON e.id = endpoint.id
    LEFT JOIN webhook_endpoint_health h ON h.endpoint_id = e.id
    WHERE e.enabled AND e.deleted_at IS NULL
  ), due AS MATERIALIZED (
    SELECT open.*, d.delivery_id, d.due_at, d.held_until
    FROM open CROSS JOIN LATERAL (
      SELECT p.delivery_id, p.due_at, p.held_until FROM pending_deliveries p
      WHERE p.endpoint_id = open.id AND p.due_at <= now() + $1 * interval '1 ms'
      ORDER BY p.due_at, p.delivery_id LIMIT CASE WHEN open.slow THEN $4::int ELSE $3::int END
    ) d
  ), turns AS (
    SELECT delivery_id, slow, row_number() OVER (PARTITION BY slow, tenant_id ORDER BY due_at, delivery_id) AS turn
    FROM due WHERE held_until < now()
  ), chosen AS (
    SELECT delivery_id, slow, turn FROM (
      SELECT *, row_number() OVER (PARTITION BY slow ORDER BY turn, random()) AS place FROM turns
    ) t WHERE place <= CASE WHEN slow THEN $6::int ELSE $5::int END
  ), free AS (
    SELECT p.delivery_id, chosen.slow, chosen.turn
    FROM chosen JOIN pending_deliveries p USING (delivery_id)
    WHERE p.held_until < now() FOR UPDATE OF p SKIP LOCKED
  ), taken AS (
    UPDATE pending_deliveries p SET
      held_until = greatest(p.due_at, now()) + $2 * interval '1 ms', lease_id = NULL
    FROM free WHERE p.delivery_id = free.delivery_id
    RETURNING p.delivery_id, p.endpoint_id, p.attempts_made, p.due_at, free.slow, free.turn
  )
  SELECT delivery_id, endpoint_id, attempts_made, slow, turn::int, NULL::boolean AS is_full,
    (extract(epoch FROM due_at - now()) * 1000)::float8 AS due_in_ms
  FROM taken
  UNION ALL
  SELECT NULL, id, NULL, NULL, NULL,
    count(*) FILTER (WHERE due_at <= now()) >= CASE WHEN slow THEN $4::int ELSE $3::int END,
    (extract(epoch FROM min(due_at) - now()) * 1000)::float8
  FROM due GROUP BY id, slow`

const takeOfAll = takeStatement(everyEndpoint)
const takeOfGiven = takeStatement('endpoint AS (SELECT unnest($7::uuid[]) AS id)')

interface DueRow {
  delivery_id: string | null
  endpoint_id: string
  attempts_made: number
  slow: boolean
  turn: number
  is_full: boolean
  due_in_ms: number
}

/** Gives back deliveries whose jobs could not be added or may not start yet: the relay takes them again. */
export async function releaseHolds(
  database: Database,
  deliveryIds: readonly string[],
): Promise<void> {
  await runPrepared(
    database,
    'release-holds',
    `UPDATE pending_deliveries SET held_until = 'epoch' WHERE delivery_id = ANY ($1::uuid[]) AND lease_id IS NULL`,
    [deliveryIds],
  )
}
