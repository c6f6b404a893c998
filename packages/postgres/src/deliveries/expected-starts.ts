import type { Database, Transaction } from '../database/database.ts'
import { inFlight } from './delivery-select.ts'
import { expectedStart, firstStart, spacingOf } from './throttle-statements.ts'

/** A delivery whose next attempt may wait for the rate limit of its endpoint. */
interface Scheduled {
  readonly id: string
  readonly endpoint_id: string
  readonly next_attempt_at: Date | null
  readonly is_throttled: boolean
}

/**
 * The most waiting deliveries of an endpoint that are examined. Those behind them are expected when the
 * last of these is, at the earliest.
 */
const examinedMax = 10_000

/**
 * Sets `next_attempt_at` of the deliveries of throttled endpoints to when their attempts are expected to
 * start: one after the other, in the order in which they are due. It reads the waiting deliveries of
 * these endpoints, up to a limit.
 */
export const withExpectedStarts = <Row extends Scheduled>(
  { pool }: Pick<Database, 'pool'>,
  rows: readonly Row[],
): Promise<readonly Row[]> =>
  schedule(rows, async (...ids) => {
    const { rows: expected } = await pool.query<ExpectedStart>(expectedStatement, ids)
    return expected
  })

/** {@link withExpectedStarts} for a delivery that the transaction creates. */
export async function withExpectedStart<Row extends Scheduled>(
  tx: Transaction,
  row: Row,
): Promise<Row> {
  const [scheduled] = await schedule([row], (...ids) =>
    tx.$queryRawUnsafe<ExpectedStart[]>(expectedStatement, ...ids),
  )
  return scheduled!
}

interface ExpectedStart {
  readonly id: string
  readonly starts_at: Date
}

type ReadStarts = (endpointIds: string[], deliveryIds: string[]) => Promise<ExpectedStart[]>

async function schedule<Row extends Scheduled>(
  rows: readonly Row[],
  readStarts: ReadStarts,
): Promise<readonly Row[]> {
  const waiting = rows.filter((row) => row.is_throttled && row.next_attempt_at !== null)
  if (waiting.length === 0) return rows
  const endpointIds = [...new Set(waiting.map((row) => row.endpoint_id))]
  const expected = await readStarts(
    endpointIds,
    waiting.map(({ id }) => id),
  )
  const startsAt = new Map(expected.map((row) => [row.id, row.starts_at]))
  return rows.map((row) => {
    const at = startsAt.get(row.id) ?? (row.is_throttled && startsAt.get(row.endpoint_id))
    return row.next_attempt_at && at && at > row.next_attempt_at
      ? { ...row, next_attempt_at: at }
      : row
  })
}

/** Returns a row for each delivery that was examined, and one for the last delivery of each endpoint. */
const expectedStatement = `
  WITH endpoint AS (
    SELECT e.id, ${spacingOf('e.rate_limit_per_second')} AS spacing,
      ${firstStart('e.rate_limit_per_second', 'w.next_at')} AS earliest
    FROM webhook_endpoints e JOIN webhook_throttles w ON w.endpoint_id = e.id
    WHERE e.id = ANY ($1::uuid[]) AND e.rate_limit_per_second IS NOT NULL
  ), waiting AS (
    SELECT endpoint.*, p.delivery_id, p.due_at, p.planned_at,
      row_number() OVER (PARTITION BY endpoint.id ORDER BY p.due_at, p.delivery_id) - 1 AS place
    FROM endpoint CROSS JOIN LATERAL (
      SELECT p.delivery_id, p.due_at, CASE WHEN p.held_until > now() THEN p.starts_at END AS planned_at
      FROM pending_deliveries p
      WHERE p.endpoint_id = endpoint.id AND (${inFlight}) IS NOT TRUE
      ORDER BY p.due_at, p.delivery_id LIMIT ${examinedMax}
    ) p
  ), expected AS (
    SELECT id, delivery_id, coalesce(planned_at, ${expectedStart('earliest', 'id')}) AS starts_at
    FROM waiting
  )
  SELECT delivery_id AS id, starts_at FROM expected WHERE delivery_id = ANY ($2::uuid[])
  UNION ALL
  SELECT id, max(starts_at) FROM expected GROUP BY id HAVING count(*) = ${examinedMax}`
