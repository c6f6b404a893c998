import { lowestUuidv7 } from '@hosting/core/ids'
import { isSuccessStatus, type DeliverySearch, type DeliveryStatus } from '@hosting/core/webhooks'
import { ifGiven } from '../database/bounded-scan.ts'
import { types } from '../database/column-types.ts'
import { keyOf } from '../database/index-keys.ts'
import { statusOf } from './delivery-select.ts'

const { int, named, nullable, text, uuid } = types

/**
 * The filters of a list of deliveries. Times are Unix milliseconds; `sinceMs` is inclusive, `untilMs` is
 * exclusive.
 */
export interface DeliveryFilter {
  readonly tenantId: string
  readonly endpointId?: string | undefined
  readonly status?: DeliveryStatus | undefined
  readonly eventType?: string | undefined
  readonly eventId?: string | undefined
  readonly objectId?: string | undefined
  readonly accountId?: string | undefined
  /** The status code and error class of the last attempt. */
  readonly statusCode?: number | undefined
  readonly errorClass?: string | undefined
  /** What somebody searches for. */
  readonly search?: DeliverySearch | undefined
  readonly sinceMs?: number | undefined
  readonly untilMs?: number | undefined
}

/** A part of a list: at most `take` deliveries before an id. */
export interface DeliveryRange {
  readonly beforeId: string | undefined
  readonly take: number
}

/** The members of a filter that compare columns of a delivery. */
export type ColumnFilter = 'endpointId' | 'eventType' | 'objectId' | 'accountId'

/** The parameters of {@link columnConditions}. */
export const columnParameters = {
  endpointId: nullable(uuid),
  eventType: nullable(text),
  objectId: nullable(text),
  accountId: nullable(text),
}

/** The parameters of {@link stateConditions}. */
export const stateParameters = {
  status: nullable(named<DeliveryStatus>('text')),
  statusCode: nullable(int),
  errorClass: nullable(text),
}

/** The parameters of {@link withinSpan}. */
export const spanParameters = {
  sinceId: nullable(uuid),
  untilId: nullable(uuid),
  beforeId: nullable(uuid),
}

/** A text in lower case, as the indexes of searches contain it. It does not depend on the locale of the database. */
export const lowered = (value: string): string => `lower(${value} COLLATE "und-x-icu") COLLATE "C"`

/** The values of the parameters of a list. A parameter that is null restricts nothing. */
export const toValues = (
  { sinceMs, untilMs, statusCode, ...filter }: DeliveryFilter,
  { beforeId, take }: DeliveryRange,
) => ({
  tenantId: filter.tenantId,
  endpointId: filter.endpointId ?? null,
  eventType: filter.eventType ?? null,
  objectId: filter.objectId ?? null,
  accountId: filter.accountId ?? null,
  // An attempt with such a code ends its delivery.
  status:
    filter.status ?? (statusCode !== undefined && isSuccessStatus(statusCode) ? 'succeeded' : null),
  statusCode: statusCode ?? null,
  errorClass: filter.errorClass ?? null,
  sinceId: sinceMs === undefined ? null : lowestUuidv7(sinceMs),
  untilId: untilMs === undefined ? null : lowestUuidv7(untilMs),
  beforeId: beforeId ?? null,
  take,
})

/**
 * Whether an id is within the filter's span and before the page.
 *
 * @param convert - a function that an index applies to the id.
 */
export const withinSpan = (id: string, convert = ''): string =>
  [
    ifGiven('sinceId', `${convert}(${id}) >= ${convert}(:sinceId)`),
    ifGiven('untilId', `${convert}(${id}) < ${convert}(:untilId)`),
    ifGiven('beforeId', `${convert}(${id}) < ${convert}(:beforeId)`),
  ].join(' AND ')

/** The condition on each column of a delivery `d`. */
export const columnCondition: Readonly<Record<ColumnFilter, string>> = {
  endpointId: ifGiven('endpointId', 'd.endpoint_id = :endpointId'),
  eventType: ifGiven('eventType', 'd.event_type = :eventType'),
  objectId: ifGiven('objectId', 'd.object_id = :objectId'),
  accountId: ifGiven('accountId', 'd.account_id = :accountId'),
}

/**
 * The condition by which an index finds the finished deliveries `d` of an organization with a value. It may also find others
 * (`keyOf`), so their columns are compared.
 */
export const indexedBy = {
  eventType: (value: string): string =>
    `${keyOf('d.event_type', 'd.tenant_id')} = ${keyOf(value, ':tenantId')}`,
  accountId: (value: string): string =>
    `${keyOf('d.account_id', 'd.tenant_id')} = ${keyOf(value, ':tenantId')}`,
  // The index ignores case. The planner knows how many deliveries this finds, and not how many it finds with a second
  // condition on the same column.
  objectId: (value: string): string =>
    `d.tenant_id = :tenantId AND ${lowered('d.object_id')} = ${lowered(value)}`,
  name: (value: string): string =>
    `d.event_name IS NOT NULL
      AND ${keyOf(lowered('d.event_name'), 'd.tenant_id')} = ${keyOf(lowered(value), ':tenantId')}`,
}

/** The conditions on columns of a delivery. */
export const columnConditions = Object.values(columnCondition).join(' AND ')

const lastAttemptConditions = [
  ifGiven('statusCode', 'd.last_status_code = :statusCode'),
  ifGiven('errorClass', 'd.last_error_class = :errorClass'),
]

/** The conditions on the state of a finished delivery `d`. */
export const finishedConditions = [
  ifGiven('status', 'd.outcome::text = :status'),
  ...lastAttemptConditions,
].join(' AND ')

/** The conditions on the state of a delivery `d` with its endpoint `e`. */
export const stateConditions = [
  ifGiven('status', `${statusOf} = :status`),
  ...lastAttemptConditions,
].join(' AND ')

/**
 * The newest unfinished deliveries in the span of a list of an organization or an endpoint, newest first.
 *
 * @param limit - the parameter with the most deliveries to examine.
 * @param subject - an object and an account by which they are found, if the list has any.
 */
export const queuedDeliveries = (limit: string, subject = ':objectId, :accountId'): string =>
  `queued_deliveries(:tenantId, :endpointId, ${subject}, :sinceId, :untilId, :beforeId, :${limit})`

/** The one column by whose index a list is read, besides the organization or endpoint. */
export const indexedColumn = ({
  objectId,
  accountId,
  eventType,
  endpointId,
}: DeliveryFilter): ColumnFilter | undefined => {
  if (objectId !== undefined) return 'objectId'
  if (accountId !== undefined) return 'accountId'
  if (endpointId !== undefined) return 'endpointId'
  return eventType === undefined ? undefined : 'eventType'
}

/** Whether nothing but an endpoint and the span restricts the list of an organization. */
export const isUnfiltered = ({
  tenantId: _tenantId,
  endpointId: _endpointId,
  sinceMs: _sinceMs,
  untilMs: _untilMs,
  ...columns
}: DeliveryFilter): boolean => Object.values(columns).every((value) => value === undefined)
