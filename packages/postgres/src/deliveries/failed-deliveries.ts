import { isSuccessStatus } from '@hosting/core/webhooks'
import { defineScan, ifGiven, partOf, type Source } from '../database/bounded-scan.ts'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import {
  columnParameters,
  spanParameters,
  stateParameters,
  toValues,
  type DeliveryFilter,
  type DeliveryRange,
} from './delivery-filter.ts'
import { finishedWhere, queuedMax, readParts, scanParts, type Found } from './delivery-sources.ts'
import { newestOfQueue, ofTenant } from './queue-list.ts'

const { int, uuid } = types

/** Whether a filter finds only deliveries whose last attempt failed, and an index of the queue and of the dead helps. */
export const isOfFailure = ({
  statusCode,
  errorClass,
  objectId,
  accountId,
}: DeliveryFilter): boolean =>
  objectId === undefined &&
  accountId === undefined &&
  (errorClass !== undefined || (statusCode !== undefined && !isSuccessStatus(statusCode)))

/**
 * Reads a page of deliveries by their last attempt, which failed: those that wait for a retry, and dead ones. The queue first:
 * a delivery that dies meanwhile is then found twice, and not missed.
 */
export async function readFailed(
  database: Pick<Database, 'pool'>,
  filter: DeliveryFilter,
  page: DeliveryRange,
): Promise<Found> {
  const values = toValues(filter, page)
  const waiting = await scanParts(database, retriesStatement, values, queuedMax)
  const dead = await scanParts(database, deadStatement, values)
  return await readParts(database, { filter, page }, [...waiting, ...dead])
}

/** How the last attempt failed, of a delivery `d` or a row `p` of the queue. */
const lastAttemptFailed = (row: 'd' | 'p'): string =>
  `${ifGiven('statusCode', `${row}.last_status_code = :statusCode`)}
    AND ${ifGiven('errorClass', `${row}.last_error_class = :errorClass`)}`

/** The retries of the organization's endpoints, by the index of the queue. */
const waitingRetries: Source = `
  SELECT p.delivery_id::text AS position, coalesce(${lastAttemptFailed('p')}, false) AS matches
  FROM webhook_endpoints e CROSS JOIN LATERAL ${newestOfQueue('1', false, 'examined')} p
  WHERE ${ofTenant}
  ORDER BY p.delivery_id DESC LIMIT :examined`

const parameters = {
  tenantId: uuid,
  ...spanParameters,
  statusCode: stateParameters.statusCode,
  errorClass: stateParameters.errorClass,
  take: int,
  examined: int,
}

/** Returns the part of a page that the index of the queue contains. Locks nothing. */
const retriesStatement = defineScan(
  'list-failed-deliveries-of-queue',
  { ...parameters, endpointId: columnParameters.endpointId },
  [partOf(waitingRetries)],
)

/** Returns the part of a page that the index of dead deliveries contains. Locks nothing. */
const deadStatement = defineScan('list-failed-deliveries', { ...parameters, ...columnParameters }, [
  partOf(finishedWhere('d.dead', lastAttemptFailed('d'))),
])
