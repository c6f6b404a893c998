import type { DeliverySearch } from '@hosting/core/webhooks'
import {
  defineScan,
  partOf,
  scanPage,
  type ScannedPart,
  type Source,
} from '../database/bounded-scan.ts'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, run, type Values } from '../database/statement.ts'
import {
  columnParameters,
  indexedBy,
  lowered,
  spanParameters,
  toValues,
  type DeliveryFilter,
  type DeliveryRange,
} from './delivery-filter.ts'
import {
  finishedWhere,
  foundBy,
  queuedMax,
  queuedWhere,
  readParts,
  scanParts,
  type Found,
} from './delivery-sources.ts'
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
  const values = { ...toValues(filter, page), searched: search.text }
  const searchedType = search.eventType ?? null
  // The queue first: a delivery that finishes meanwhile is then found twice, and not missed.
  const queued = await scanQueue(database, { ...values, searchedType, isPrefix: search.isPrefix })
  const byId = search.ids ? await scanParts(database, idStatement, withIds(values, search.ids)) : []
  const others =
    objectIds.length > objectsMax
      ? await scanParts(database, newestStatement, values)
      : await scanIndexes(database, { ...values, searchedType, objectIds })
  // What is found by its id is shown, however long the queue is. A text is hardly ever an id of several kinds.
  const isId = byId.some(({ positions }) => positions.length > 0)
  const scanned = isId ? { ...queued, isCut: false } : queued
  return await readParts(database, { filter, page }, [scanned, ...byId, ...others])
}

/** Reads the part of a page that the queue contains. First it examines only a few: many texts match most deliveries. */
async function scanQueue(
  database: Pick<Database, 'pool'>,
  values: Omit<Values<typeof queueStatement.takes>, 'examined'>,
): Promise<ScannedPart> {
  const whole = { before: values.beforeId ?? undefined, take: values.take, examined: queuedMax }
  const { positions, examinedTo } = await scanPage(whole, ({ before, take, examined }) =>
    scanParts(database, queueStatement, { ...values, beforeId: before ?? null, take }, examined),
  )
  return { positions, isCut: examinedTo !== undefined, last: examinedTo ?? '' }
}

/**
 * Reads the parts of a page that the indexes of event types, objects and names contain. A statement for each, because
 * planning one takes longer than running it, and few texts need all.
 */
async function scanIndexes(
  database: Pick<Database, 'pool'>,
  { searchedType, objectIds, ...values }: IndexValues,
): Promise<ScannedPart[]> {
  return [
    ...(searchedType === null
      ? []
      : await scanParts(database, typeStatement, { ...values, searchedType })),
    ...(objectIds.length === 0
      ? []
      : await scanParts(database, objectStatement, { ...values, objectIds })),
    ...(await scanParts(database, nameStatement, values)),
  ]
}

type IndexValues = ReturnType<typeof toValues> & {
  readonly searched: string
  readonly searchedType: string | null
  readonly objectIds: readonly string[]
}

const parameters = {
  tenantId: uuid,
  ...columnParameters,
  ...spanParameters,
  take: int,
  examined: int,
}

/** The ids that the text stands for. */
const idParameters = { lowestId: uuid, highestId: uuid }

const withIds = <Other>(values: Other, [lowestId, highestId]: readonly [string, string]) => ({
  ...values,
  lowestId,
  highestId,
})

const isSearched = (id: string): string => `${id} BETWEEN :lowestId AND :highestId`

/** A source of unfinished deliveries `p` by an index of ids. Their columns are compared when the page is read. */
const queuedBy = (indexed: string): Source => `
  SELECT p.delivery_id::text AS position, true AS matches FROM pending_deliveries p
  WHERE p.tenant_id = :tenantId AND ${indexed} AND ${ofPage}
  ORDER BY p.delivery_id DESC LIMIT :examined`

/** Our ids of the events with ids that the text stands for and that publishers gave to them. */
const givenIds = `ARRAY(SELECT event_ref FROM published_event_ids
  WHERE tenant_id = :tenantId AND ${isSearched('event_id')} LIMIT ${objectsMax})`

/**
 * Returns the parts of a page that the indexes of ids contain: those of deliveries, and of events by our id, unless the
 * publisher gave it another one, or by that one. Locks nothing.
 */
const idStatement = defineScan('search-deliveries-by-id', { ...parameters, ...idParameters }, [
  partOf(finishedWhere(isSearched('d.id'))),
  partOf(finishedWhere(`${isSearched('d.event_ref')} AND d.event_id = d.event_ref`)),
  partOf(finishedWhere(`${isSearched('d.event_id')} AND d.event_ref = ANY (${givenIds})`)),
  partOf(queuedBy(isSearched('p.delivery_id'))),
  partOf(
    queuedBy(`${isSearched('p.event_ref')}
      AND NOT EXISTS (SELECT FROM published_event_ids g WHERE g.event_ref = p.event_ref)`),
  ),
  partOf(queuedBy(`p.event_ref = ANY (${givenIds})`)),
])

/** Returns the part of a page that the index of event types contains. Locks nothing. */
const typeStatement = defineScan(
  'search-deliveries-by-type',
  { ...parameters, searchedType: text },
  [partOf(foundBy(indexedBy.eventType(':searchedType'), 'd.event_type = :searchedType'))],
)

/** Returns the part of a page that the index of names contains. Locks nothing. */
const nameStatement = defineScan('search-deliveries-by-name', { ...parameters, searched: text }, [
  partOf(
    foundBy(indexedBy.name(':searched'), `${lowered('d.event_name')} = ${lowered(':searched')}`),
  ),
])

/** Returns the parts of a page that the index of objects contains, one of each object. Locks nothing. */
const objectStatement = defineScan(
  'search-deliveries-by-object',
  { ...parameters, objectIds: listOf(text) },
  [
    `SELECT part.* FROM unnest(:objectIds) AS object (id) CROSS JOIN LATERAL (
      ${partOf(finishedWhere(`${lowered('d.object_id')} = object.id`))}) part`,
  ],
)

/** Returns the part of a page that the newest unfinished deliveries contain, of which few match. Locks nothing. */
const queueStatement = defineScan(
  'search-queued-deliveries',
  { ...parameters, searched: text, searchedType: nullable(text), isPrefix: bool },
  [
    partOf(
      queuedWhere(`(d.event_type = :searchedType OR ${lowered('d.event_name')} = ${lowered(':searched')}
        OR CASE WHEN :isPrefix THEN starts_with(${lowered('d.object_id')}, :searched)
          ELSE ${lowered('d.object_id')} = :searched END)`),
    ),
  ],
)

/** Returns the part of a page that the newest finished deliveries contain, of which many match. Locks nothing. */
const newestStatement = defineScan('search-newest-deliveries', { ...parameters, searched: text }, [
  partOf(
    finishedWhere(
      'true',
      `(starts_with(${lowered('d.object_id')}, :searched) OR ${lowered('d.event_name')} = :searched)`,
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

/** Returns the objects whose ids are in a range, up to a limit. Locks nothing. */
const objectsStatement = defineStatement({
  name: 'list-searched-objects',
  takes: { tenantId: uuid, from: text, until: text },
  gives: { id: notNull(text, 'found by a condition on it') },
  sql: `SELECT id FROM searched_objects(:tenantId, :from, :until, ${objectsMax + 1}) AS object (id)`,
})
