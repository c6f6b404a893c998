import type { DeliverySearch } from '@hosting/core/webhooks'
import { defineScan, partOf, type Source } from '../database/bounded-scan.ts'
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
import { finishedWhere, queuedWhere, readSources, type Found } from './delivery-sources.ts'
import { ofPage } from './queue-list.ts'

const { bool, int, listOf, notNull, nullable, text, uuid } = types

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
        isPrefix: search.isPrefix,
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

/** A source of unfinished deliveries `p` by an index of ids. Its columns are compared when the page is read. */
const queuedBy = (indexed: string): Source => `
  SELECT p.delivery_id::text AS position, true AS matches FROM pending_deliveries p
  WHERE p.tenant_id = :tenantId AND ${indexed} AND ${ofPage}
  ORDER BY p.delivery_id DESC LIMIT :examined`

/** Events with ids that the text stands for, by the ids that publishers gave to them. */
const givenIds = `ARRAY(SELECT event_ref FROM published_event_ids
  WHERE tenant_id = :tenantId AND ${isSearched('event_id')} LIMIT ${objectsMax})`

/**
 * Gives the parts of a page that each of the indexes contains: those of ids, event types, objects and names. The ids of
 * events that publishers gave lead to ours, of which a delivery has a copy. A condition on a value that is null finds
 * nothing, and costs nothing. It locks nothing.
 */
const searchStatement = defineScan(
  'search-deliveries',
  { ...parameters, searchedType: nullable(text), isPrefix: bool, objectIds: listOf(text) },
  [
    partOf(finishedWhere(isSearched('d.id'))),
    partOf(finishedWhere(`${isSearched('d.event_ref')} AND d.event_id = d.event_ref`)),
    partOf(finishedWhere(`${isSearched('d.event_id')} AND d.event_ref = ANY (${givenIds})`)),
    partOf(finishedWhere('d.event_type = :searchedType')),
    `SELECT part.* FROM unnest(:objectIds) AS object (id) CROSS JOIN LATERAL (
      ${partOf(finishedWhere(`${lowered('d.object_id')} = object.id`))}) part`,
    partOf(finishedWhere(`${lowered('d.event_name')} = ${lowered(':searched')}`)),
    partOf(queuedBy(isSearched('p.delivery_id'))),
    partOf(
      queuedBy(`${isSearched('p.event_ref')}
        AND NOT EXISTS (SELECT FROM published_event_ids g WHERE g.event_ref = p.event_ref)`),
    ),
    partOf(queuedBy(`:lowestId IS NOT NULL AND p.event_ref = ANY (${givenIds})`)),
    partOf(
      queuedWhere(`(d.event_type = :searchedType OR ${lowered('d.event_name')} = ${lowered(':searched')}
        OR CASE WHEN :isPrefix THEN starts_with(${lowered('d.object_id')}, :searched)
          ELSE ${lowered('d.object_id')} = :searched END)`),
    ),
  ],
)

/** Whether one of the newest deliveries `d` is searched. */
const isNewestSearched = `(starts_with(${lowered('d.object_id')}, :searched) OR ${lowered('d.event_name')} = :searched
  OR ${isSearched('d.id')} OR ${isSearched('d.event_id')})`

/** Gives the parts of a page that the newest deliveries contain, of which many match. It locks nothing. */
const newestStatement = defineScan('search-newest-deliveries', parameters, [
  partOf(finishedWhere('true', isNewestSearched)),
  partOf(queuedWhere(isNewestSearched)),
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
