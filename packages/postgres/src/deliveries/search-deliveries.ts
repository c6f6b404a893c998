import type { DeliverySearch } from '@hosting/core/webhooks'
import type { Database } from '../database/database.ts'
import type { Bind, DeliveryFilter, DeliveryRange } from './delivery-filter.ts'
import { deliveriesWhere, readSources, type Found, type Source } from './delivery-sources.ts'

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
  const objects = await listObjects(database, tenantId, search)
  return await readSources(database, filter, page, (bind) =>
    objects.length > objectsMax
      ? [newestWhere(filter, { page, bind })]
      : [
          ...byIds(search, tenantId, bind),
          ...(search.eventType === undefined ? [] : [[`d.event_type = ${bind(search.eventType)}`]]),
          ...objects.map((id) => [`lower(d.object_id) COLLATE "C" = ${bind(id)}`]),
          [`lower(d.event_name) COLLATE "C" = lower(${bind(search.text)}::text) COLLATE "C"`],
        ].map((indexed) => deliveriesWhere(filter, { page, bind, indexed })),
  )
}

/**
 * The conditions for ids of deliveries and events. The ids of events that publishers gave lead to ours, of which a
 * delivery has a copy.
 */
function byIds({ ids }: DeliverySearch, tenantId: string, bind: Bind): string[][] {
  if (!ids) return []
  const [lowest, highest] = ids.map((id) => bind(id))
  const within = (column: string): string =>
    `${column} BETWEEN ${lowest}::uuid AND ${highest}::uuid`
  return [
    [within('d.id')],
    [within('d.event_ref'), 'd.event_id = d.event_ref'],
    [
      within('d.event_id'),
      `d.event_ref = ANY (ARRAY(SELECT event_ref FROM published_event_ids
        WHERE tenant_id = ${bind(tenantId)} AND ${within('event_id')} LIMIT ${objectsMax}))`,
    ],
  ]
}

/** The ids of the organization's objects that the text is, or begins, in lower case. One look-up in the index each. */
async function listObjects(
  { pool }: Pick<Database, 'pool'>,
  tenantId: string,
  { text, isPrefix }: DeliverySearch,
): Promise<string[]> {
  if (!isPrefix) return [text]
  const next = `SELECT lower(d.object_id) COLLATE "C" AS id FROM deliveries d
    WHERE d.tenant_id = $1 AND lower(d.object_id) COLLATE "C" < $3`
  const { rows } = await pool.query<{ id: string }>(
    `WITH RECURSIVE object AS (
       (${next} AND lower(d.object_id) COLLATE "C" >= $2 ORDER BY 1 LIMIT 1)
       UNION ALL
       SELECT found.id FROM object CROSS JOIN LATERAL (
         ${next} AND lower(d.object_id) COLLATE "C" > object.id COLLATE "C" ORDER BY 1 LIMIT 1) found
     )
     SELECT id FROM object LIMIT ${objectsMax + 1}`,
    [tenantId, text, `${text}\u{10FFFF}`],
  )
  return rows.map(({ id }) => id)
}

/** The newest deliveries, of which many match. */
const newestWhere = (
  filter: DeliveryFilter & { readonly search: DeliverySearch },
  { page, bind }: { page: DeliveryRange; bind: Bind },
): Source => {
  const { text, ids } = filter.search
  const [lowest, highest] = (ids ?? []).map((id) => bind(id))
  const anyOf = [
    `starts_with(lower(d.object_id), ${bind(text)})`,
    `lower(d.event_name) = ${bind(text)}`,
    ...(lowest === undefined
      ? []
      : [`d.id BETWEEN ${lowest} AND ${highest}`, `d.event_id BETWEEN ${lowest} AND ${highest}`]),
  ]
  return deliveriesWhere(filter, { page, bind, indexed: [], matching: [`(${anyOf.join(' OR ')})`] })
}
