import type { Database } from '../database/database.ts'
import { rangeOf, type Bind, type DeliveryFilter, type DeliveryRange } from './delivery-filter.ts'
import {
  deliveriesWhere,
  examinedPerSource,
  readSources,
  type Found,
  type Source,
} from './delivery-sources.ts'
import { beforeAndAfter, ofTenant } from './queue-list.ts'

/** Whether a filter finds only deliveries whose last attempt failed, and an index of the queue and of the dead helps. */
export const isOfFailure = ({
  statusCode,
  errorClass,
  objectId,
  accountId,
}: DeliveryFilter): boolean =>
  objectId === undefined &&
  accountId === undefined &&
  (errorClass !== undefined ||
    (statusCode !== undefined && !(statusCode >= 200 && statusCode < 300)))

/** Reads a page of deliveries by their last attempt, which failed: those that wait for a retry, and dead ones. */
export const readFailed = (
  database: Pick<Database, 'pool'>,
  filter: DeliveryFilter,
  page: DeliveryRange,
): Promise<Found> =>
  readSources(database, filter, page, (bind) => [
    deliveriesWhere(filter, {
      page,
      bind,
      indexed: ['d.dead'],
      matching: lastAttemptConditions('d', filter, bind),
    }),
    waitingWhere(filter, page, bind),
  ])

const lastAttemptConditions = (
  row: 'd' | 'p',
  { statusCode, errorClass }: DeliveryFilter,
  bind: Bind,
): string[] => [
  ...(statusCode === undefined ? [] : [`${row}.last_status_code = ${bind(statusCode)}`]),
  ...(errorClass === undefined ? [] : [`${row}.last_error_class = ${bind(errorClass)}`]),
]

/** The retries of the organization's endpoints, by the index of the queue. */
function waitingWhere(filter: DeliveryFilter, page: DeliveryRange, bind: Bind): Source {
  const { tenantId, endpointId } = filter
  const queuePage = {
    tenant: bind(tenantId),
    endpoint: endpointId === undefined ? undefined : bind(endpointId),
    range: rangeOf(filter, page, bind),
    take: examinedPerSource,
  }
  return `
    SELECT p.delivery_id AS id,
      coalesce(${lastAttemptConditions('p', filter, bind).join(' AND ')}, false) AS matches
    FROM webhook_endpoints e CROSS JOIN LATERAL (
      SELECT p.delivery_id, p.last_status_code, p.last_error_class FROM pending_deliveries p
      WHERE p.endpoint_id = e.id AND least(p.attempts_made, 1) = 1${beforeAndAfter(queuePage)}
      ORDER BY uuid_send(p.delivery_id) DESC LIMIT ${examinedPerSource}
    ) p
    WHERE ${ofTenant(queuePage)}
    ORDER BY id DESC LIMIT ${examinedPerSource}`
}
