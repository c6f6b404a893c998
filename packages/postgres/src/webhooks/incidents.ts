import { recordsKeptDays, type ErrorClass } from '@hosting/core/webhooks'
import { types, type RowOf } from '../database/column-types.ts'
import type { Client, Database } from '../database/database.ts'
import { defineDeletion } from '../database/deletion.ts'
import { runWithin } from '../database/limited-read.ts'
import { defineStatement } from '../database/statement.ts'
import type { Prisma } from '../generated/client.ts'

const { int, named, notNull, nullable, time, uuid } = types

/** A time in which an endpoint failed. */
export type IncidentRow = Prisma.WebhookIncidentGetPayload<object>

/** Returns a page of the incidents of an endpoint, newest first: those before `beforeId`. */
export const listIncidents = (
  client: Client,
  {
    tenantId,
    endpointId,
    beforeId,
    take,
  }: { tenantId: string; endpointId: string; beforeId: string | undefined; take: number },
): Promise<IncidentRow[]> =>
  client.webhookIncident.findMany({
    where: { tenantId, endpointId, ...(beforeId === undefined ? {} : { id: { lt: beforeId } }) },
    orderBy: { id: 'desc' },
    take,
  })

/** Deletes incidents that were closed more than 30 days ago. Returns their number. */
export const dropOldIncidents = defineDeletion({
  name: 'delete-old-incidents',
  table: 'webhook_incidents',
  where: `closed_at < now() - make_interval(days => ${recordsKeptDays})`,
})

/** Finds an incident of an endpoint of the organization, which may be deleted. */
export const findIncident = (
  client: Client,
  { tenantId, endpointId, id }: { tenantId: string; endpointId: string; id: string },
): Promise<IncidentRow | null> =>
  client.webhookIncident.findFirst({ where: { id, tenantId, endpointId } })

const spanTypes = {
  start: notNull(time, 'the least of a group'),
  end: notNull(time, 'the greatest of a group'),
  errorClass: notNull(named<ErrorClass>('text'), 'of failed attempts'),
  statusCode: nullable(int),
  attempts: notNull(int, 'count'),
}

/** A part of an incident in which attempts failed in one way. */
export type IncidentSpan = RowOf<typeof spanTypes>

/** The events that an incident concerned. */
export interface AffectedEvents {
  /** Events of the log whose first attempt failed in the incident. Null: they were not counted in time. */
  readonly affected: number | null
  /** Those of them that have arrived since. */
  readonly deliveredSince: number | null
}

/** What happened in an incident, oldest first, and what became of its events. */
export interface IncidentDetails extends AffectedEvents {
  readonly timeline: readonly IncidentSpan[]
  /** Whether all attempts were read. */
  readonly isComplete: boolean
}

/** What may be read of an incident. */
export interface IncidentLimits {
  /** The most attempts, the first ones. */
  readonly attemptsMax: number
  /** The most ms that a statement may take. */
  readonly msMax: number
}

/** The most spans of a timeline. */
const spansMax = 100

/**
 * Reads what happened in an incident. Successive attempts that failed in the same way are a span. If there are more than 100,
 * the incident is divided into that many equal parts, and each is a span with its most frequent failure. If the attempts are not
 * read in time, the timeline is empty. It runs at most three statements.
 */
export async function readIncidentDetails(
  database: Pick<Database, 'pool'>,
  { endpointId, openedAt, failedAttempts }: IncidentRow,
  { attemptsMax, msMax }: IncidentLimits,
): Promise<IncidentDetails> {
  const values = { endpointId, openedAt, failedAttempts: Math.min(failedAttempts, attemptsMax) }
  const runs = await runWithin(database, msMax, runsStatement, values)
  const timeline =
    runs.length > spansMax ? await runWithin(database, msMax, partsStatement, values) : runs
  // What counts the events reads the same attempts, and more.
  const counted =
    timeline === 'too_long' ? timeline : await runWithin(database, msMax, affectedStatement, values)
  return {
    timeline: timeline === 'too_long' ? [] : timeline,
    isComplete: failedAttempts <= attemptsMax && counted !== 'too_long',
    ...(counted === 'too_long' ? { affected: null, deliveredSince: null } : counted[0]!),
  }
}

/** The values of {@link failedAttempts}. */
export const incidentParameters = { endpointId: uuid, openedAt: time, failedAttempts: int }

/**
 * The failed attempts of the endpoint from an id on. The last attempt of a dead delivery is in its row. The delivery may have
 * waited for its endpoint for as long as records are kept.
 */
const failuresSince = (id: string): string => `
  SELECT id, delivery_id, number, started_at, duration_ms, error_class, status_code
  FROM delivery_attempts WHERE endpoint_id = :endpointId AND error_class IS NOT NULL AND id >= ${id}
  UNION ALL
  SELECT last_attempt_id, id, attempt_count, last_started_at, last_duration_ms, last_error_class, last_status_code
  FROM deliveries WHERE endpoint_id = :endpointId AND dead AND last_attempt_id >= ${id}
    AND id >= uuid_v7_floor(:openedAt - interval '${recordsKeptDays} days')`

/**
 * The failed attempts of an incident in the order of their ids, which they get when they end: as many as were counted, from
 * the one with whose start it opened.
 */
export const failedAttempts = `
  SELECT id, delivery_id, number, started_at, duration_ms, error_class, status_code
  FROM (${failuresSince(`(
    SELECT first.id FROM (${failuresSince(`uuid_v7_floor(:openedAt - interval '1 minute')`)}) first
    WHERE first.started_at = :openedAt AND first.id < uuid_v7_floor(:openedAt + interval '1 hour')
    ORDER BY first.id LIMIT 1)`)}) failure
  ORDER BY id LIMIT :failedAttempts`

const spanOfGroup = `min(started_at) AS start, max(started_at + duration_ms * interval '1 ms') AS "end"`

/** Returns the runs of attempts that failed in the same way, oldest first, and one more than a timeline has. */
const runsStatement = defineStatement({
  name: 'list-runs-of-incident',
  takes: incidentParameters,
  gives: spanTypes,
  sql: `
    SELECT ${spanOfGroup}, error_class, status_code, count(*)::int AS attempts
    FROM (
      SELECT *, count(*) FILTER (WHERE is_new) OVER (ORDER BY id) AS run
      FROM (
        SELECT *, (error_class, status_code) IS DISTINCT FROM
          (lag(error_class) OVER (ORDER BY id), lag(status_code) OVER (ORDER BY id)) AS is_new
        FROM (${failedAttempts}) failed
      ) compared
    ) numbered
    GROUP BY run, error_class, status_code ORDER BY run LIMIT ${spansMax + 1}`,
})

/** Returns a span for each of equal parts of an incident in which attempts failed, oldest first. */
const partsStatement = defineStatement({
  name: 'list-parts-of-incident',
  takes: incidentParameters,
  gives: spanTypes,
  sql: `
    WITH failed AS MATERIALIZED (${failedAttempts}), parts AS (
      SELECT *, least(floor(${spansMax} * extract(epoch FROM started_at - min(started_at) OVER ())
        / greatest(extract(epoch FROM max(started_at) OVER () - min(started_at) OVER ()), 0.001)), ${spansMax - 1}) AS part
      FROM failed
    ), failures AS (
      SELECT DISTINCT ON (part) part, error_class, status_code
      FROM (SELECT part, error_class, status_code, count(*) AS attempts FROM parts GROUP BY 1, 2, 3) counted
      ORDER BY part, attempts DESC, error_class, status_code
    ), totals AS (SELECT part, ${spanOfGroup}, count(*)::int AS attempts FROM parts GROUP BY part)
    SELECT t.start, t."end", f.error_class, f.status_code, t.attempts
    FROM totals t JOIN failures f USING (part) ORDER BY part`,
})

/** Returns the number of the events of an incident, and of those that have arrived by any delivery. */
const affectedStatement = defineStatement({
  name: 'count-events-of-incident',
  takes: incidentParameters,
  gives: { affected: notNull(int, 'count'), deliveredSince: notNull(int, 'count') },
  sql: `
    WITH failed AS MATERIALIZED (
      SELECT delivery_id FROM (${failedAttempts}) each WHERE number = 1
    ), affected AS MATERIALIZED (
      SELECT DISTINCT ev.id
      FROM failed JOIN delivery_states d ON d.id = failed.delivery_id JOIN events ev ON ev.id = d.event_ref
      WHERE d.redelivery_of IS NULL AND ev.position IS NOT NULL
    )
    SELECT count(*)::int AS affected, count(*) FILTER (WHERE EXISTS (
        SELECT FROM deliveries r
        WHERE r.event_ref = affected.id AND r.endpoint_id = :endpointId AND r.outcome = 'succeeded')
      )::int AS delivered_since
    FROM affected`,
})
