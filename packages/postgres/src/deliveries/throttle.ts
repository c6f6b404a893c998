import { types, type RowOf } from '../database/column-types.ts'
import type { Database, Transaction } from '../database/database.ts'
import { defineStatement, run, runIn } from '../database/statement.ts'
import { inFlight } from './delivery-select.ts'

const { listOf, notNull, time, uuid } = types

/**
 * The throttle of an endpoint is a generic cell rate algorithm: `webhook_throttles.next_at` is the time of
 * the next start if starts are spread evenly, and a start may be earlier than that by a tolerance. So in
 * any t seconds at most 1 + (t + tolerance) / spacing attempts are claimed. An attempt starts at most
 * {@link startDelayOf} after its claim. Together, no t seconds hold the start of more than N × (t + 1)
 * attempts. For N = 1 this leaves no room, so the spacing is longer.
 */

/** The time between two starts, if they are spread evenly. */
export const spacingOf = (rate: string): string =>
  `CASE WHEN ${rate} = 1 THEN interval '1200 ms' ELSE interval '1 second' / ${rate} END`

/** How much earlier than that an attempt may be claimed. */
export const toleranceOf = (rate: string): string =>
  `CASE WHEN ${rate} = 1 THEN interval '50 ms' ELSE interval '250 ms' END`

/** How long after its claim an attempt of a throttled endpoint may start. */
export const startDelayOf = (rate: string): string =>
  `CASE WHEN ${rate} = 1 THEN interval '150 ms' ELSE interval '250 ms' END`

/**
 * When the first of the waiting deliveries is expected to start. Jobs arrive late rather than early, so
 * half of the tolerance makes up for it.
 */
export const firstStart = (rate: string, nextAt: string): string =>
  `greatest(now(), ${nextAt} - (${toleranceOf(rate)}) / 2)`

/**
 * When each delivery is expected to start: not before it is due or the first start, and a spacing after
 * the one before. A window over rows in their order, with their `rank` from 0.
 */
export const expectedStart = (earliest: string, partition: string): string =>
  `max(greatest(due_at, ${earliest}) - rank * spacing)
    OVER (PARTITION BY ${partition} ORDER BY rank) + rank * spacing`

/** A delivery whose next attempt may wait for the rate limit of its endpoint. */
interface Scheduled {
  readonly id: string
  readonly endpointId: string
  readonly nextAttemptAt: Date | null
  readonly isThrottled: boolean
}

/**
 * The most waiting deliveries of an endpoint that are examined. Those behind them are expected when the
 * last of these is, at the earliest.
 */
const examinedMax = 10_000

/**
 * Sets `nextAttemptAt` of the deliveries of throttled endpoints to when their attempts are expected to
 * start: one after the other, in the order in which they are due. It reads the waiting deliveries of
 * these endpoints, up to a limit.
 */
export const withExpectedStarts = <Row extends Scheduled>(
  { pool }: Pick<Database, 'pool'>,
  rows: readonly Row[],
): Promise<readonly Row[]> => schedule(rows, (ids) => run(pool, expectedStatement, ids))

/** {@link withExpectedStarts} for a delivery that the transaction creates. */
export async function withExpectedStart<Row extends Scheduled>(
  tx: Transaction,
  row: Row,
): Promise<Row> {
  const [scheduled] = await schedule([row], (ids) => runIn(tx, expectedStatement, ids))
  return scheduled!
}

type ExpectedStart = RowOf<typeof expectedStatement.gives>

type ReadStarts = (ids: {
  endpointIds: readonly string[]
  deliveryIds: readonly string[]
}) => Promise<ExpectedStart[]>

async function schedule<Row extends Scheduled>(
  rows: readonly Row[],
  readStarts: ReadStarts,
): Promise<readonly Row[]> {
  const waiting = rows.filter((row) => row.isThrottled && row.nextAttemptAt !== null)
  if (waiting.length === 0) return rows
  const endpointIds = [...new Set(waiting.map((row) => row.endpointId))]
  const expected = await readStarts({ endpointIds, deliveryIds: waiting.map(({ id }) => id) })
  const startsAt = new Map(expected.map((row) => [row.id, row.startsAt]))
  return rows.map((row) => {
    const at = startsAt.get(row.id) ?? (row.isThrottled && startsAt.get(row.endpointId))
    return row.nextAttemptAt && at && at > row.nextAttemptAt ? { ...row, nextAttemptAt: at } : row
  })
}

/** Returns a row for each delivery that was examined, and one for the last delivery of each endpoint. */
const expectedStatement = defineStatement({
  name: 'read-expected-starts',
  takes: { endpointIds: listOf(uuid), deliveryIds: listOf(uuid) },
  gives: {
    id: notNull(uuid, 'a delivery or an endpoint'),
    startsAt: notNull(time, 'the greatest of times that are not null'),
  },
  sql: `
  WITH endpoint AS (
    SELECT e.id, ${spacingOf('e.rate_limit_per_second')} AS spacing,
      ${firstStart('e.rate_limit_per_second', 'w.next_at')} AS earliest
    FROM webhook_endpoints e JOIN webhook_throttles w ON w.endpoint_id = e.id
    WHERE e.id = ANY (:endpointIds) AND e.rate_limit_per_second IS NOT NULL
  ), waiting AS (
    SELECT endpoint.*, p.delivery_id, p.due_at, p.planned_at,
      row_number() OVER (PARTITION BY endpoint.id ORDER BY p.due_at, p.delivery_id) - 1 AS rank
    FROM endpoint CROSS JOIN LATERAL (
      SELECT p.delivery_id, p.due_at, CASE WHEN p.held_until > now() THEN p.starts_at END AS planned_at
      FROM pending_deliveries p
      WHERE p.endpoint_id = endpoint.id AND (${inFlight}) IS NOT TRUE
      ORDER BY p.due_at, uuid_send(p.delivery_id) LIMIT ${examinedMax}
    ) p
  ), expected AS (
    SELECT id, delivery_id, coalesce(planned_at, ${expectedStart('earliest', 'id')}) AS starts_at
    FROM waiting
  )
  SELECT delivery_id AS id, starts_at FROM expected WHERE delivery_id = ANY (:deliveryIds)
  UNION ALL
  SELECT id, max(starts_at) FROM expected GROUP BY id HAVING count(*) = ${examinedMax}`,
})
