import type { Database } from '../database/database.ts'
import type { SelectedDelivery } from './deliveries.ts'
import {
  binder,
  columnConditions,
  rangeOf,
  stateConditions,
  type Bind,
  type DeliveryFilter,
  type DeliveryRange,
} from './delivery-filter.ts'
import { readSelected, selectDeliveries } from './delivery-select.ts'

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

/**
 * Reads a page of the deliveries that any of several sources contains. Each source is read as far as the page needs it,
 * up to a limit; the page ends where the first of them was cut off.
 */
export async function readSources(
  { pool }: Pick<Database, 'pool'>,
  filter: DeliveryFilter,
  page: DeliveryRange,
  sourcesOf: (bind: Bind) => readonly Source[],
): Promise<Found> {
  const { values, bind } = binder()
  const parts = sourcesOf(bind).map((source) => partOf(source, page))
  const { rows: read } = await pool.query<Part>(parts.join(' UNION ALL '), values)
  const cut = read
    .map(({ ids, last, is_cut }) => (ids.length === page.take ? ids.at(-1)! : is_cut ? last : ''))
    .reduce((highest, each) => (each > highest ? each : highest), '')
  const ids = [...new Set(read.flatMap((part) => part.ids))].filter((id) => id >= cut)
  const rows = await readByIds({ pool }, filter, ids, page)
  return { rows, examinedTo: rows.length < page.take && cut !== '' ? cut : undefined }
}

interface Part {
  /** The deliveries that match, at most a page, newest first. */
  readonly ids: string[]
  readonly is_cut: boolean
  readonly last: string
}

const partOf = (source: Source, page: DeliveryRange): string => `
  SELECT coalesce((array_agg(id ORDER BY id DESC) FILTER (WHERE matches))[1:${page.take}], '{}')::text[] AS ids,
    count(*) >= ${examinedPerSource} AS is_cut, coalesce((array_agg(id ORDER BY id))[1]::text, '') AS last
  FROM (${source}) source`

async function readByIds(
  { pool }: Pick<Database, 'pool'>,
  filter: DeliveryFilter,
  ids: readonly string[],
  page: DeliveryRange,
): Promise<SelectedDelivery[]> {
  if (ids.length === 0) return []
  const { values, bind } = binder()
  const sorted = ids.toSorted()
  const conditions = [
    `d.id = ANY (${bind(ids)}::uuid[])`,
    `d.id BETWEEN ${bind(sorted[0])} AND ${bind(sorted.at(-1))}`,
    ...columnConditions(filter, bind),
    ...stateConditions(filter, bind),
  ]
  const rows = await readSelected(
    pool,

    `${selectDeliveries()} WHERE ${conditions.join(' AND ')} ORDER BY d.id DESC LIMIT ${page.take}`,
    values,
  )
  return rows
}

/** A source of deliveries `d` by an index. */
export const deliveriesWhere = (
  filter: DeliveryFilter,
  {
    page,
    bind,
    indexed,
    matching = [],
  }: { page: DeliveryRange; bind: Bind; indexed: readonly string[]; matching?: readonly string[] },
): Source => `
  SELECT d.id, coalesce(${['true', ...columnConditions(filter, bind), ...matching].join(' AND ')}, false) AS matches
  FROM deliveries d
  WHERE ${[
    `d.tenant_id = ${bind(filter.tenantId)}`,
    ...indexed,
    ...rangeOf(filter, page, bind).map((bound) => `d.id ${bound}`),
  ].join(' AND ')}
  ORDER BY d.id DESC LIMIT ${examinedPerSource}`
