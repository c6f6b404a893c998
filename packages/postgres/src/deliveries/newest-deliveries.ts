import { currentTimeMs, dayMs } from '@hosting/core/clock'
import { timeOfUuidv7 } from '@hosting/core/ids'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, run } from '../database/statement.ts'
import type { SelectedDelivery } from './deliveries.ts'
import {
  columnCondition,
  columnParameters,
  queuedDeliveries,
  spanParameters,
  toValues,
  withinSpan,
  type DeliveryFilter,
  type DeliveryRange,
} from './delivery-filter.ts'
import { deliveryTypes, selectDeliveries } from './delivery-select.ts'

const { int, uuid } = types

/** The number of recent days in which a page is first searched. */
const recentDays = 2

/**
 * Reads a page of all deliveries of an organization or an endpoint. For most pages, one or two days suffice. PostgreSQL then
 * plans only for the partitions of those days, which takes a fraction of planning for all.
 */
export async function readNewest(
  database: Pick<Database, 'pool'>,
  filter: DeliveryFilter,
  page: DeliveryRange,
): Promise<readonly SelectedDelivery[]> {
  const sinceMs = recentSince(filter, page)
  if (sinceMs === undefined) return await readPage(database, filter, page)
  const recent = await readPage(database, { ...filter, sinceMs }, page)
  const take = page.take - recent.length
  if (take === 0) return recent
  const earlier = await readPage(database, { ...filter, untilMs: sinceMs }, { ...page, take })
  return [...recent, ...earlier]
}

/** The time since which a page is likely to be full. `undefined`: the span is short. */
function recentSince(
  { sinceMs = 0, untilMs = Infinity }: DeliveryFilter,
  { beforeId }: DeliveryRange,
): number | undefined {
  const beforeMs = beforeId === undefined ? Infinity : timeOfUuidv7(beforeId)
  const recentMs = Math.min(currentTimeMs(), untilMs, beforeMs) - recentDays * dayMs
  return recentMs > sinceMs ? recentMs : undefined
}

const readPage = (
  { pool }: Pick<Database, 'pool'>,
  filter: DeliveryFilter,
  page: DeliveryRange,
): Promise<SelectedDelivery[]> => run(pool, newestStatement, toValues(filter, page))

/** Returns a page of the newest deliveries of an organization or an endpoint, newest first. Locks nothing. */
const newestStatement = defineStatement({
  name: 'list-newest-deliveries',
  takes: {
    tenantId: uuid,
    endpointId: columnParameters.endpointId,
    ...spanParameters,
    take: int,
  },
  gives: deliveryTypes,
  sql: `
    ${selectDeliveries(`(
      (SELECT * FROM finished_deliveries d
       WHERE d.tenant_id = :tenantId AND ${columnCondition.endpointId} AND ${withinSpan('d.id')}
       ORDER BY d.id DESC LIMIT :take)
      UNION ALL
      SELECT * FROM ${queuedDeliveries('take', 'NULL, NULL')}
    )`)}
    ORDER BY d.id DESC LIMIT :take`,
})
