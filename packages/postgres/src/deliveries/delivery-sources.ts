import { mergeParts, type Scan, type ScannedPart, type Source } from '../database/bounded-scan.ts'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, run, type Types, type Values } from '../database/statement.ts'
import type { SelectedDelivery } from './deliveries.ts'
import {
  columnConditions,
  columnParameters,
  queuedDeliveries,
  stateConditions,
  stateParameters,
  toValues,
  withinSpan,
  type DeliveryFilter,
  type DeliveryRange,
} from './delivery-filter.ts'
import {
  deliveriesById,
  deliveryTypes,
  idParameters,
  selectDeliveries,
  toIdValues,
} from './delivery-select.ts'

const { int } = types

/** The most deliveries that are examined of each source for a page. */
const examinedPerSource = 2_000

/** Of the queue, fewer: its rows are looked up in an index of each endpoint, and mostly their events, too. */
export const queuedMax = 1_000

/** What a page of a list found. */
export interface Found {
  readonly rows: readonly SelectedDelivery[]
  /** The last delivery examined, if the search stopped before the page was full. */
  readonly examinedTo?: string | undefined
}

/** A filter and the page to read. */
interface DeliveryList {
  readonly filter: DeliveryFilter
  readonly page: DeliveryRange
}

/** Reads the parts of a page that several sources contain. */
export const scanParts = <Takes extends Types>(
  { pool }: Pick<Database, 'pool'>,
  statement: Scan<Takes>,
  values: Omit<Values<Takes>, 'examined'>,
  examined = examinedPerSource,
): Promise<ScannedPart[]> =>
  run(pool, statement, { ...values, examined } as unknown as Values<Takes>)

/** Reads the page of which sources contain the parts. A delivery that has finished between two scans may be in two parts. */
export async function readParts(
  { pool }: Pick<Database, 'pool'>,
  { filter, page }: DeliveryList,
  parts: readonly ScannedPart[],
): Promise<Found> {
  const { positions: ids, cut } = mergeParts(parts, page.take)
  const rows =
    ids.length === 0 ? [] : await run(pool, foundStatement, foundValues(filter, ids, page))
  return { rows, examinedTo: rows.length < page.take ? cut : undefined }
}

const foundValues = (filter: DeliveryFilter, ids: readonly string[], page: DeliveryRange) => ({
  ...toValues(filter, page),
  ...toIdValues(ids),
})

/** Returns those of the found deliveries that match the filter, newest first. Locks nothing. */
const foundStatement = defineStatement({
  name: 'list-found-deliveries',
  takes: {
    ...idParameters,
    ...columnParameters,
    ...stateParameters,
    take: int,
  },
  gives: deliveryTypes,
  sql: `
    ${selectDeliveries(deliveriesById)}
    WHERE ${columnConditions} AND ${stateConditions}
    ORDER BY d.id DESC LIMIT :take`,
})

/**
 * A source of finished deliveries `d` by an index.
 *
 * @param indexed - a condition that the index covers, besides the organization and the span.
 * @param matching - a further condition on columns of a delivery.
 */
export const finishedWhere = (indexed: string, matching = 'true'): Source =>
  foundBy(`d.tenant_id = :tenantId AND ${indexed}`, matching)

/** {@link finishedWhere} of an index that may also find deliveries of other organizations. */
export const foundBy = (indexed: string, matching: string): Source => `
  SELECT d.id::text AS position,
    coalesce(d.tenant_id = :tenantId AND ${columnConditions} AND ${matching}, false) AS matches
  FROM deliveries d
  WHERE ${indexed} AND ${withinSpan('d.id')}
  ORDER BY d.id DESC LIMIT :examined`

/** A source of the newest unfinished deliveries `d`, of which those match that a condition on their columns finds. */
export const queuedWhere = (matching: string): Source => `
  SELECT d.id::text AS position, coalesce(${columnConditions} AND ${matching}, false) AS matches
  FROM ${queuedDeliveries('examined')} d`
