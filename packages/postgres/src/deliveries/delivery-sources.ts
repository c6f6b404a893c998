import { types, type ColumnType } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, run, type Statement, type Values } from '../database/statement.ts'
import type { SelectedDelivery } from './deliveries.ts'
import {
  columnConditions,
  columnParameters,
  stateConditions,
  stateParameters,
  toValues,
  withinSpan,
  type DeliveryFilter,
  type DeliveryRange,
} from './delivery-filter.ts'
import { deliveryTypes, selectDeliveries } from './delivery-select.ts'

const { bool, int, listOf, notNull, text, uuid } = types

/**
 * An index that contains deliveries to find, newest first: a statement that selects `id`, and `matches` with the
 * conditions that need no other table, for at most {@link examinedPerSource} deliveries.
 */
export type Source = string

/** The most deliveries that are examined of each source for a page. */
export const examinedPerSource = 2_000

/** What a page of a list found. */
export interface Found {
  readonly rows: readonly SelectedDelivery[]
  /** The last delivery examined, if the search stopped before the page was full. */
  readonly examinedTo?: string | undefined
}

const partTypes = {
  /** The deliveries that match, at most a page, newest first. */
  ids: notNull(listOf(text), 'coalesce'),
  isCut: notNull(bool, 'count'),
  last: notNull(text, 'coalesce'),
}

/** The part of a page that a source contains, as a row of {@link defineSources}. */
export const partOf = (source: Source): string => `
  SELECT coalesce((array_agg(id ORDER BY id DESC) FILTER (WHERE matches))[1 : :take], '{}')::text[] AS ids,
    count(*) >= ${examinedPerSource} AS is_cut, coalesce((array_agg(id ORDER BY id))[1]::text, '') AS last
  FROM (${source}) source`

/** Defines a statement that reads parts of a page. */
export const defineSources = <const Takes extends Readonly<Record<string, ColumnType<unknown>>>>(
  name: string,
  takes: Takes,
  parts: readonly string[],
) => defineStatement({ name, takes, gives: partTypes, sql: parts.join(' UNION ALL ') })

/**
 * Reads a page of the deliveries that any of several sources contains. Each source is read as far as the page needs it,
 * up to a limit; the page ends where the first of them was cut off.
 */
export async function readSources<Takes extends Readonly<Record<string, ColumnType<unknown>>>>(
  { pool }: Pick<Database, 'pool'>,
  { filter, page }: { filter: DeliveryFilter; page: DeliveryRange },
  statement: Statement<Takes, typeof partTypes>,
  values: Values<Takes>,
): Promise<Found> {
  const read = await run(pool, statement, values)
  const cut = read
    .map(({ ids, last, isCut }) => (ids.length === page.take ? ids.at(-1)! : isCut ? last : ''))
    .reduce((highest, each) => (each > highest ? each : highest), '')
  const ids = [...new Set(read.flatMap((part) => part.ids))].filter((id) => id >= cut).toSorted()
  const rows =
    ids.length === 0 ? [] : await run(pool, foundStatement, foundValues(filter, ids, page))
  return { rows, examinedTo: rows.length < page.take && cut !== '' ? cut : undefined }
}

const foundValues = (filter: DeliveryFilter, ids: readonly string[], page: DeliveryRange) => ({
  ...toValues(filter, page),
  ids,
  lowestId: ids[0]!,
  highestId: ids.at(-1)!,
})

/** Gives those of the found deliveries that match the filter, newest first. It locks nothing. */
const foundStatement = defineStatement({
  name: 'list-found-deliveries',
  takes: {
    ids: listOf(uuid),
    lowestId: uuid,
    highestId: uuid,
    ...columnParameters,
    ...stateParameters,
    take: int,
  },
  gives: deliveryTypes,
  sql: `
    ${selectDeliveries()}
    WHERE d.id = ANY (:ids) AND d.id BETWEEN :lowestId AND :highestId
      AND ${columnConditions} AND ${stateConditions}
    ORDER BY d.id DESC LIMIT :take`,
})

/**
 * A source of deliveries `d` by an index.
 *
 * @param indexed - a condition that the index covers, besides the organization and the span.
 * @param matching - a further condition on columns of a delivery.
 */
export const deliveriesWhere = (indexed: string, matching = 'true'): Source => `
  SELECT d.id, coalesce(${columnConditions} AND ${matching}, false) AS matches
  FROM deliveries d
  WHERE d.tenant_id = :tenantId AND ${indexed} AND ${withinSpan('d.id')}
  ORDER BY d.id DESC LIMIT ${examinedPerSource}`
