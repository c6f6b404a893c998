import { types, type RowOf } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, run } from '../database/statement.ts'
import {
  columnCondition,
  columnConditions,
  columnParameters,
  finishedConditions,
  indexedBy,
  indexedColumn,
  queuedDeliveries,
  spanParameters,
  stateConditions,
  stateParameters,
  toValues,
  withinSpan,
  type ColumnFilter,
  type DeliveryFilter,
  type DeliveryRange,
} from './delivery-filter.ts'
import { deliveryColumns, deliveryTables, deliveryTypes } from './delivery-select.ts'
import { queuedMax, type Found } from './delivery-sources.ts'

const { bool, int, notNull, uuid } = types

/** The most deliveries examined for a page whose filter no index covers. */
export const examinedMax = 5_000

/**
 * Reads a page by a filter. Of the unfinished deliveries the newest are examined, of the finished ones the newest of an
 * index, each up to a limit; the page ends where the first of them ends. The queue is read first: a delivery that finishes
 * meanwhile is then found twice, and shown once.
 */
export async function readFilteredDeliveries(
  database: Pick<Database, 'pool'>,
  filter: DeliveryFilter,
  page: DeliveryRange,
  examined: number,
): Promise<Found> {
  const values = toValues(filter, page)
  const isUnfinished = values.status !== 'succeeded'
  const isFinished = [null, 'succeeded', 'dead'].includes(values.status)
  const queued = isUnfinished
    ? await examineInSteps(database, queueStatement, values, Math.min(examined, queuedMax))
    : { rows: [] }
  const queueEnd = queued.rows.length === page.take ? queued.rows.at(-1)!.id : queued.examinedTo
  const sinceId = queueEnd ?? values.sinceId
  const statement = historyStatements.get(indexOf(filter))!
  const finished = isFinished
    ? await examineInSteps(database, statement, { ...values, sinceId }, examined)
    : { rows: [] }
  const end = finished.examinedTo ?? queueEnd
  const rows = mergeNewest(finished, queued, end).slice(0, page.take)
  return { rows, examinedTo: rows.length < page.take ? end : undefined }
}

/** The rows down to where a page ends, newest first. Of a delivery that is in both, the finished one. */
function mergeNewest(finished: Found, queued: Found, end: string | undefined): Found['rows'] {
  const byId = new Map([...queued.rows, ...finished.rows].map((row) => [row.id, row]))
  return [...byId.values()]
    .filter(({ id }) => end === undefined || id >= end)
    .toSorted((one, other) => (one.id < other.id ? 1 : -1))
}

/** An index of finished deliveries by which a list is read: of an organization, of its dead deliveries, or of a column. */
type ListIndex = 'tenant' | 'dead' | ColumnFilter

const ofTenant = 'd.tenant_id = :tenantId'

const indexConditions: Readonly<Record<ListIndex, string>> = {
  tenant: ofTenant,
  dead: `${ofTenant} AND d.dead AND ${columnCondition.endpointId}`,
  endpointId: `${ofTenant} AND ${columnCondition.endpointId}`,
  eventType: indexedBy.eventType(':eventType'),
  objectId: indexedBy.objectId(':objectId'),
  accountId: indexedBy.accountId(':accountId'),
}

function indexOf(filter: DeliveryFilter): ListIndex {
  const { status, objectId, accountId } = filter
  if (status === 'dead' && objectId === undefined && accountId === undefined) return 'dead'
  return indexedColumn(filter) ?? 'tenant'
}

/** The finished deliveries that an index finds, in its order, newest first. */
export const finishedBy = (index: ListIndex): string => `
  SELECT * FROM finished_deliveries d
  WHERE ${indexConditions[index]} AND ${withinSpan('d.id')}
  ORDER BY d.id DESC`

const examinedTypes = {
  ...deliveryTypes,
  matches: notNull(bool, 'coalesce'),
  /** Whether it is the last one examined, and there may be more. */
  isLast: notNull(bool, 'of values that are not null'),
}

/**
 * Defines a statement that gives those of some deliveries that match the filter, newest first, and the last one examined. It
 * locks nothing.
 *
 * @param source - a query of the deliveries `d` to examine, newest first, at most `:examined`.
 * @param conditions - those of the filter.
 */
const defineExamination = (name: string, source: string, conditions: string) =>
  defineStatement({
    name,
    takes: {
      tenantId: uuid,
      ...columnParameters,
      ...spanParameters,
      ...stateParameters,
      take: int,
      examined: int,
    },
    gives: examinedTypes,
    sql: `
      SELECT ${deliveryColumns}, coalesce(${conditions}, false) AS matches, d.number = :examined AS is_last
      FROM ${deliveryTables(`(SELECT *, row_number() OVER (ORDER BY id DESC) AS number FROM (${source}) d)`)}
      WHERE coalesce(${conditions}, false) OR d.number = :examined
      ORDER BY d.id DESC LIMIT :take + 1`,
  })

type Examination = ReturnType<typeof defineExamination>

const queueStatement = defineExamination(
  'list-filtered-deliveries-of-queue',
  `SELECT * FROM ${queuedDeliveries('examined')}`,
  `${columnConditions} AND ${stateConditions}`,
)

const historyStatements = new Map(
  (Object.keys(indexConditions) as ListIndex[]).map((index) => [
    index,
    defineExamination(
      `list-filtered-deliveries-by-${index}`,
      `${finishedBy(index)} LIMIT :examined`,
      `${ofTenant} AND ${columnConditions} AND ${finishedConditions}`,
    ),
  ]),
)

/** Examines up to a limit. First only a few: many filters match most deliveries, such as those of an object. */
async function examineInSteps(
  { pool }: Pick<Database, 'pool'>,
  statement: Examination,
  values: ReturnType<typeof toValues>,
  examined: number,
): Promise<Found> {
  const { take } = values
  const few = Math.min(examined, 2 * take)
  const first = split(await run(pool, statement, { ...values, examined: few }), take)
  if (first.examinedTo === undefined || few === examined) return first
  const missing = take - first.rows.length
  const rest = { ...values, beforeId: first.examinedTo, take: missing, examined: examined - few }
  const { rows, examinedTo } = split(await run(pool, statement, rest), missing)
  return { rows: [...first.rows, ...rows], examinedTo }
}

/** Separates the page from the last delivery examined, which is where to continue if the page is not full. */
function split(examined: readonly RowOf<typeof examinedTypes>[], take: number): Found {
  const rows = examined
    .filter(({ matches }) => matches)
    .slice(0, take)
    .map(({ matches: _matches, isLast: _isLast, ...row }) => row)
  return {
    rows,
    examinedTo: rows.length < take ? examined.find(({ isLast }) => isLast)?.id : undefined,
  }
}
