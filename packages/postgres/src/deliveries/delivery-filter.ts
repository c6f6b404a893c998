import { lowestUuidv7 } from '@hosting/core/ids'
import type { DeliverySearch, DeliveryStatus } from '@hosting/core/webhooks'
import { statusOf } from './delivery-select.ts'

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

/** Adds a value to a statement. Returns its placeholder. */
export type Bind = (value: unknown) => string

/** Collects the values of a statement. */
export function binder(): { values: unknown[]; bind: Bind } {
  const values: unknown[] = []
  return { values, bind: (value) => `$${values.push(value)}` }
}

/** The bounds of the ids, from the filter's span and the page. */
export const rangeOf = (
  { sinceMs, untilMs }: DeliveryFilter,
  { beforeId }: Pick<DeliveryRange, 'beforeId'>,
  bind: Bind,
): string[] => [
  ...(sinceMs === undefined ? [] : [`>= ${bind(lowestUuidv7(sinceMs))}`]),
  ...(untilMs === undefined ? [] : [`< ${bind(lowestUuidv7(untilMs))}`]),
  ...(beforeId === undefined ? [] : [`< ${bind(beforeId)}`]),
]

const isGiven = (value: unknown): boolean => value !== undefined

/** The members of the filter that compare columns of a delivery `d`. */
type ColumnFilter = 'endpointId' | 'eventType' | 'objectId' | 'accountId'

const columns: Readonly<Record<ColumnFilter, (value: string) => string>> = {
  endpointId: (value) => `d.endpoint_id = ${value}`,
  eventType: (value) => `d.event_type = ${value}`,
  objectId: (value) =>
    `lower(d.object_id) COLLATE "C" = lower(${value}::text) COLLATE "C" AND d.object_id = ${value}`,
  accountId: (value) => `d.account_id = ${value}`,
}

/** The conditions on columns of a delivery. */
export const columnConditions = (
  filter: DeliveryFilter,
  bind: Bind,
  names: readonly ColumnFilter[] = ['endpointId', 'eventType', 'objectId', 'accountId'],
): string[] =>
  names.filter((name) => isGiven(filter[name])).map((name) => columns[name](bind(filter[name])))

/** The conditions on the state of a delivery, which may be in its row `p` of the queue. */
export const stateConditions = (
  { status, statusCode, errorClass }: DeliveryFilter,
  bind: Bind,
): string[] => [
  ...(status === undefined ? [] : [`${statusOf} = ${bind(status)}`]),
  // Applied before any join.
  ...(status === 'succeeded' ? [`d.outcome = 'succeeded'`] : []),
  ...(statusCode === undefined
    ? []
    : [`coalesce(p.last_status_code, d.last_status_code) = ${bind(statusCode)}`]),
  ...(errorClass === undefined
    ? []
    : [`coalesce(p.last_error_class, d.last_error_class) = ${bind(errorClass)}`]),
]

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

/** Whether nothing but one indexed column and the span restricts the list. */
export const isOfIndex = (filter: DeliveryFilter): boolean => {
  const { endpointId, eventType, objectId, accountId, status, statusCode, errorClass } = filter
  return (
    [endpointId, eventType, objectId, accountId].filter(isGiven).length <= 1 &&
    ![status, statusCode, errorClass].some(isGiven)
  )
}
