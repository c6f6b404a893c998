import type { ErrorClass } from '@hosting/core/webhooks'
import { types, type RowOf } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { runWithin } from '../database/limited-read.ts'
import { defineStatement } from '../database/statement.ts'
import { failedAttempts, incidentParameters, type IncidentLimits } from './incidents.ts'
import type { IncidentRow } from './incidents.ts'

const { int, named, notNull, nullable, text, time, uuid } = types

const failureTypes = {
  deliveryId: notNull(uuid, 'of two columns that are not null'),
  startedAt: notNull(time, 'of an attempt'),
  errorClass: notNull(named<ErrorClass>('text'), 'of failed attempts'),
  statusCode: nullable(int),
  eventId: nullable(uuid),
  eventType: nullable(text),
}

/** A failed attempt of an incident with its event, which is null if its delivery no longer exists. */
export type IncidentFailure = RowOf<typeof failureTypes>

/** The ends of an incident. */
export interface IncidentFailures {
  readonly first: IncidentFailure
  readonly last: IncidentFailure | undefined
}

/**
 * Finds the first and the last failed attempt of an incident, which may be the same. `last` is undefined if more attempts failed
 * than may be read.
 *
 * @returns `undefined` if the attempts are no longer kept, or were not read in time.
 */
export async function findIncidentFailures(
  database: Pick<Database, 'pool'>,
  { endpointId, openedAt, failedAttempts: attempts }: IncidentRow,
  { attemptsMax, msMax }: IncidentLimits,
): Promise<IncidentFailures | undefined> {
  const values = { endpointId, openedAt, failedAttempts: Math.min(attempts, attemptsMax) }
  const rows = await runWithin(database, msMax, failuresStatement, values)
  if (rows === 'too_long') return undefined
  const [first] = rows
  return first && { first, last: attempts > attemptsMax ? undefined : rows.at(-1) }
}

/** Returns the first and the last failed attempt of an incident, in this order. */
const failuresStatement = defineStatement({
  name: 'list-first-and-last-failure-of-incident',
  takes: incidentParameters,
  gives: failureTypes,
  sql: `
    WITH failed AS MATERIALIZED (${failedAttempts}), ends AS (
      SELECT * FROM failed WHERE id IN ((SELECT min(id::text)::uuid FROM failed), (SELECT max(id::text)::uuid FROM failed))
    )
    SELECT ends.delivery_id, ends.started_at, ends.error_class, ends.status_code, d.event_id, d.event_type
    FROM ends LEFT JOIN LATERAL (
      SELECT event_id, event_type FROM all_deliveries WHERE id = ends.delivery_id LIMIT 1
    ) d ON true
    ORDER BY ends.id`,
})
