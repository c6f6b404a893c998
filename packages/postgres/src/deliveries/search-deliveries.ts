import type { DeliverySearch } from '@hosting/core/webhooks'
import { defineScan, partOf } from '../database/bounded-scan.ts'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, run } from '../database/statement.ts'
import {
  columnParameters,
  lowered,
  spanParameters,
  toValues,
  type DeliveryFilter,
  type DeliveryRange,
} from './delivery-filter.ts'
import { deliveriesWhere, readSources, type Found } from './delivery-sources.ts'

const { int, listOf, notNull, nullable, text, uuid } = types

/** The most objects whose ids begin with a text. If there are more, the newest deliveries are searched. */
const objectsMax = 50

/**
 * Finds the deliveries that a search text stands for, by the id of the delivery, the event or the object, the type of the
 * event, or its name.
 */
export async function searchDeliveries(
  database: Pick<Database, 'pool'>,
  filter: DeliveryFilter & { readonly search: DeliverySearch },
  page: DeliveryRange,
): Promise<Found> {
  const { search, tenantId } = filter
  // PostgreSQL stores no text with this character.
  if (search.text.includes('\0')) return { rows: [] }
  const objectIds = await listObjects(database, tenantId, search)
  const [lowestId, highestId] = search.ids ?? [null, null]
  const values = { ...toValues(filter, page), lowestId, highestId, searched: search.text }
  return objectIds.length > objectsMax
    ? await readSources(database, { filter, page }, newestStatement, values)
    : await readSources(database, { filter, page }, searchStatement, {
        ...values,
        searchedType: search.eventType ?? null,
        objectIds,
      })
}

const parameters = {
  tenantId: uuid,
  ...columnParameters,
  ...spanParameters,
  take: int,
  examined: int,
  /** The ids that the text stands for; null if it is no part of an id. */
  lowestId: nullable(uuid),
  highestId: nullable(uuid),
  searched: text,
}

const isSearched = (id: string): string => `${id} BETWEEN :lowestId AND :highestId`

/**
 * Gives the parts of a page that each of the indexes contains: those of ids, event types, objects and names. The ids of
 * events that publishers gave lead to ours, of which a delivery has a copy. A condition on a value that is null finds
 * nothing, and costs nothing. It locks nothing.
 */
const searchStatement = defineScan(
  'search-deliveries',
  { ...parameters, searchedType: nullable(text), objectIds: listOf(text) },
  [
    partOf(deliveriesWhere(isSearched('d.id'))),
    partOf(deliveriesWhere(`${isSearched('d.event_ref')} AND d.event_id = d.event_ref`)),
    partOf(
      deliveriesWhere(`${isSearched('d.event_id')}
        AND d.event_ref = ANY (ARRAY(SELECT event_ref FROM published_event_ids
          WHERE tenant_id = :tenantId AND ${isSearched('event_id')} LIMIT ${objectsMax}))`),
    ),
    partOf(deliveriesWhere('d.event_type = :searchedType')),
    `SELECT part.* FROM unnest(:objectIds) AS object (id) CROSS JOIN LATERAL (
      ${partOf(deliveriesWhere(`${lowered('d.object_id')} = object.id`))}) part`,
    partOf(deliveriesWhere(`${lowered('d.event_name')} = ${lowered(':searched')}`)),
  ],
)

/** Gives the part of a page that the newest deliveries contain, of which many match. It locks nothing. */
const newestStatement = defineScan('search-newest-deliveries', parameters, [
  partOf(
    deliveriesWhere(
      'true',
      `(starts_with(${lowered('d.object_id')}, :searched) OR ${lowered('d.event_name')} = :searched
        OR ${isSearched('d.id')} OR ${isSearched('d.event_id')})`,
    ),
  ),
])

/** The ids of the organization's objects that the text is, or begins, in lower case. One look-up in the index each. */
async function listObjects(
  { pool }: Pick<Database, 'pool'>,
  tenantId: string,
  { text: searched, isPrefix }: DeliverySearch,
): Promise<readonly string[]> {
  if (!isPrefix) return [searched]
  const values = { tenantId, from: searched, until: `${searched}\u{10FFFF}` }
  return (await run(pool, objectsStatement, values)).map(({ id }) => id)
}

const nextObject = `SELECT ${lowered('d.object_id')} AS id FROM deliveries d
  WHERE d.tenant_id = :tenantId AND ${lowered('d.object_id')} < :until`

/** Gives the objects whose ids are in a range, up to a limit, by a loose index scan. It locks nothing. */
const objectsStatement = defineStatement({
  name: 'list-searched-objects',
  takes: { tenantId: uuid, from: text, until: text },
  gives: { id: notNull(text, 'found by a condition on it') },
  sql: `
    WITH RECURSIVE object AS (
      (${nextObject} AND ${lowered('d.object_id')} >= :from ORDER BY 1 LIMIT 1)
      UNION ALL
      SELECT found.id FROM object CROSS JOIN LATERAL (
        ${nextObject} AND ${lowered('d.object_id')} > object.id COLLATE "C" ORDER BY 1 LIMIT 1) found
    )
    SELECT id FROM object LIMIT ${objectsMax + 1}`,
})
