import { currentTime, dayMs } from '@hosting/core/clock'
import type { PoolClient } from 'pg'
import { types, type RowOf } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { rangeOfIds } from '../database/id-range.ts'
import { runTransaction } from '../database/transaction.ts'
import { defineHotStatement, defineStatement, run, runPrepared } from '../database/statement.ts'
import { wakeEndpoints } from './endpoint-wakeups.ts'

const { bool, int, listOf, named, notNull, nothing, nullable, text, time, uuid } = types

/** A part of a walk over the deliveries, in the order of their ids. */
export interface OpenWalk {
  /** Where the previous part ended. */
  readonly afterId: string
  /** The most deliveries that are examined. */
  readonly rowsMax: number
}

/** The result of {@link findOpenDeliveries}. */
export interface OpenDeliveries {
  readonly ids: readonly string[]
  /** The last delivery examined. `undefined` at the end of the walk. */
  readonly lastId: string | undefined
}

/**
 * Finds deliveries that have neither an outcome nor a row in the queue. There are none, unless a defect or
 * a damaged database left them behind. Reads one range of ids, so the cost does not depend on the number of
 * deliveries.
 */
export async function findOpenDeliveries(
  database: Database,
  { afterId, rowsMax }: OpenWalk,
): Promise<OpenDeliveries> {
  const [row] = await runPrepared(database, findStatement, { afterId, rowsMax })
  const { last, examined, ids } = row!
  return { ids, lastId: examined < rowsMax ? undefined : last! }
}

/** Both tables are read in one snapshot: a delivery leaves the queue in the transaction that ends it. */
const findStatement = defineHotStatement({
  name: 'find-open-deliveries',
  takes: { afterId: uuid, rowsMax: int },
  gives: {
    last: nullable(uuid),
    examined: notNull(int, 'count'),
    ids: notNull(listOf(uuid), 'array'),
  },
  sql: `
  WITH page AS MATERIALIZED (
    SELECT id, outcome FROM deliveries WHERE id > :afterId ORDER BY id LIMIT :rowsMax
  )
  SELECT (SELECT id FROM page ORDER BY id DESC LIMIT 1) AS last,
    (SELECT count(*)::int FROM page) AS examined,
    ARRAY(
      SELECT id FROM page
      WHERE outcome IS NULL AND NOT EXISTS (SELECT FROM pending_deliveries p WHERE p.delivery_id = page.id OFFSET 0)
    ) AS ids`,
})

/** The result of {@link repairDeliveries}: the number of deliveries by what became of them. */
export interface Repaired {
  readonly succeeded: number
  readonly dead: number
  /** They were not finished, and are in the queue again. */
  readonly queued: number
}

/**
 * Ends deliveries of {@link findOpenDeliveries} as their recorded attempts did, or puts them into the queue
 * again if they are not finished. Several processes may repair the same deliveries.
 *
 * @param attemptsMax - the number of attempts after which a delivery is dead.
 */
export const repairDeliveries = (
  database: Pick<Database, 'pool'>,
  ids: readonly string[],
  attemptsMax: number,
): Promise<Repaired> =>
  runTransaction(database, async (client) => {
    const open = await lockOpen(client, ids)
    const last = await readLastAttempts(client, open)
    const living = await listLivingEndpoints(client, open)
    const decided = open.map((delivery) => {
      const attempt = last.get(delivery.id)
      return {
        ...delivery,
        attempt,
        fate: decideFate(attempt, living.has(delivery.endpointId), attemptsMax),
      }
    })
    const byFate = Map.groupBy(decided, ({ fate }) => fate)
    await putBack(client, byFate.get('queued') ?? [])
    await end(
      client,
      decided.filter(({ fate }) => fate !== 'queued'),
    )
    const count = (fate: Fate) => byFate.get(fate)?.length ?? 0
    return { succeeded: count('succeeded'), dead: count('dead'), queued: count('queued') }
  })

type Fate = keyof Repaired

type OpenRow = RowOf<typeof lockStatement.gives>

type LastAttempt = Omit<RowOf<typeof lastStatement.gives>, 'deliveryId'>

interface DecidedRow extends OpenRow {
  readonly fate: Fate
  /** `undefined`: no attempt is recorded. */
  readonly attempt: LastAttempt | undefined
}

function decideFate(
  attempt: LastAttempt | undefined,
  isEndpointLiving: boolean,
  attemptsMax: number,
): Fate {
  if (attempt?.succeeded) return 'succeeded'
  return !isEndpointLiving || (attempt && attempt.number >= attemptsMax) ? 'dead' : 'queued'
}

/** Locks the records first: whoever repairs them at the same time then finds them ended or in the queue. */
async function lockOpen(client: PoolClient, ids: readonly string[]): Promise<OpenRow[]> {
  const [lowestId, highestId] = rangeOfIds(ids)
  const rows = await run(client, lockStatement, { ids, lowestId, highestId })
  const queued = await run(client, queuedStatement, { ids })
  const waiting = new Set(queued.map(({ deliveryId }) => deliveryId))
  return rows.filter(({ id }) => !waiting.has(id))
}

/** Gives those of the deliveries that have not ended, and locks them in the order of their ids. */
const lockStatement = defineStatement({
  name: 'lock-open-deliveries',
  takes: { ids: listOf(uuid), lowestId: uuid, highestId: uuid },
  gives: { id: uuid, tenantId: uuid, endpointId: uuid, eventRef: uuid },
  sql: `
    SELECT id, tenant_id, endpoint_id, event_ref FROM deliveries
    WHERE id = ANY (:ids) AND id BETWEEN :lowestId AND :highestId AND outcome IS NULL
    ORDER BY id FOR UPDATE`,
})

/** Gives those of the deliveries that are in the queue. It locks nothing. */
const queuedStatement = defineStatement({
  name: 'find-queued-deliveries',
  takes: { ids: listOf(uuid) },
  gives: { deliveryId: uuid },
  sql: 'SELECT delivery_id FROM pending_deliveries WHERE delivery_id = ANY (:ids)',
})

/** The last attempt of each delivery, or its success. Clocks may differ by up to a day. */
async function readLastAttempts(
  client: PoolClient,
  open: readonly OpenRow[],
): Promise<ReadonlyMap<string, LastAttempt>> {
  const ids = open.map(({ id }) => id)
  const rows = await run(client, lastStatement, { ids, lowestId: rangeOfIds(ids, dayMs)[0] })
  return new Map(rows.map(({ deliveryId, ...attempt }) => [deliveryId, attempt]))
}

/** Gives the attempt that decides about each delivery: a successful one, or the last. It locks nothing. */
const lastStatement = defineStatement({
  name: 'read-recorded-attempts',
  takes: { ids: listOf(uuid), lowestId: uuid },
  gives: {
    deliveryId: notNull(uuid, 'of two columns that are not null'),
    number: notNull(int, 'of two columns that are not null'),
    statusCode: nullable(int),
    errorClass: nullable(text),
    succeeded: notNull(bool, 'IS NULL'),
    endedAt: notNull(time, 'of two columns that are not null'),
  },
  sql: `
    SELECT DISTINCT ON (delivery_id) delivery_id, number, status_code, error_class, error_class IS NULL AS succeeded,
      started_at + duration_ms * interval '1 ms' AS ended_at
    FROM recorded_attempts WHERE delivery_id = ANY (:ids) AND id >= :lowestId
    ORDER BY delivery_id, error_class IS NULL DESC, number DESC`,
})

async function listLivingEndpoints(
  client: PoolClient,
  open: readonly OpenRow[],
): Promise<ReadonlySet<string>> {
  const ids = open.map(({ endpointId }) => endpointId)
  const rows = await run(client, livingStatement, { ids })
  return new Set(rows.map(({ id }) => id))
}

/** Gives those of the endpoints that are not deleted. It locks nothing. */
const livingStatement = defineStatement({
  name: 'find-living-endpoints',
  takes: { ids: listOf(uuid) },
  gives: { id: uuid },
  sql: 'SELECT id FROM webhook_endpoints WHERE id = ANY (:ids) AND deleted_at IS NULL',
})

async function putBack(client: PoolClient, rows: readonly DecidedRow[]): Promise<void> {
  await run(client, putBackStatement, {
    ids: rows.map(({ id }) => id),
    tenantIds: rows.map(({ tenantId }) => tenantId),
    endpointIds: rows.map(({ endpointId }) => endpointId),
    eventRefs: rows.map(({ eventRef }) => eventRef),
    attemptsMade: rows.map(({ attempt }) => attempt?.number ?? 0),
    statusCodes: rows.map(({ attempt }) => attempt?.statusCode ?? null),
    errorClasses: rows.map(({ attempt }) => attempt?.errorClass ?? null),
  })
}

/** Adds deliveries to the queue, due now, and wakes their endpoints. */
const putBackStatement = defineStatement({
  name: 'put-back-deliveries',
  takes: {
    ids: listOf(uuid),
    tenantIds: listOf(uuid),
    endpointIds: listOf(uuid),
    eventRefs: listOf(uuid),
    attemptsMade: listOf(int),
    statusCodes: listOf(nullable(int)),
    errorClasses: listOf(nullable(text)),
  },
  gives: {},
  sql: `
    WITH queued AS (
      INSERT INTO pending_deliveries
        (delivery_id, tenant_id, endpoint_id, event_ref, attempts_made, last_status_code, last_error_class, due_at,
         held_until)
      SELECT *, now(), 'epoch'
      FROM unnest(:ids, :tenantIds, :endpointIds, :eventRefs, :attemptsMade, :statusCodes, :errorClasses)
      RETURNING endpoint_id, tenant_id, false AS slow, due_at AS at
    )
    ${wakeEndpoints('queued')}`,
})

async function end(client: PoolClient, rows: readonly DecidedRow[]): Promise<void> {
  await run(client, endStatement, {
    ids: rows.map(({ id }) => id),
    outcomes: rows.map(({ fate }) => fate),
    attemptCounts: rows.map(({ attempt }) => attempt?.number ?? 0),
    completedAt: rows.map(({ attempt }) => attempt?.endedAt ?? currentTime()),
    statusCodes: rows.map(({ attempt }) => attempt?.statusCode ?? null),
    errorClasses: rows.map(({ attempt }) => attempt?.errorClass ?? null),
  })
}

/** Records the outcomes of deliveries. */
const endStatement = defineStatement({
  name: 'end-deliveries',
  takes: {
    ids: listOf(uuid),
    outcomes: listOf(named('delivery_outcome')),
    attemptCounts: listOf(int),
    completedAt: listOf(time),
    statusCodes: listOf(nullable(int)),
    errorClasses: listOf(nullable(text)),
  },
  gives: { ended: nothing },
  sql: `SELECT end_deliveries(:ids, :outcomes, :attemptCounts, :completedAt, :statusCodes, :errorClasses) AS ended`,
})
