import {
  deliveryStatuses,
  errorClasses,
  eventTypes,
  parseDeliverySearch,
  searchLengthMax,
  statusCodeMax,
  statusCodeMin,
} from '@hosting/core/webhooks'
import type { DeliveryFilter } from '@hosting/postgres/deliveries'
import { Type, type Static } from 'typebox'
import type { Caller } from '../access/caller.ts'
import { withUncheckedTexts } from '../schemas/validation.ts'
import { filterText, timeText, uuid, wordOf } from '../schemas/common.ts'

/** The filters of every list of deliveries. */
export const deliveryFilters = {
  status: Type.Optional(wordOf(deliveryStatuses, 'Only deliveries with this status.')),
  event_type: Type.Optional(
    wordOf([...eventTypes.keys()], 'Only deliveries of events of this type.'),
  ),
  event_id: Type.Optional(uuid('Only deliveries of this event.')),
  object_id: Type.Optional(filterText('Only deliveries of events of this object.')),
  account_id: Type.Optional(filterText('Only deliveries of events of this account.')),
  status_code: Type.Optional(
    Type.Integer({
      minimum: statusCodeMin,
      maximum: statusCodeMax,
      description: 'Only deliveries whose last attempt got a response with this HTTP status.',
    }),
  ),
  error_class: Type.Optional(
    wordOf(errorClasses, 'Only deliveries whose last attempt failed for this reason.'),
  ),
  since: Type.Optional(timeText('Only deliveries created at or after this time.')),
  until: Type.Optional(timeText('Only deliveries created before this time.')),
}

/** The filters of what concerns all deliveries of an organization. */
export const organizationDeliveryFilters = {
  ...deliveryFilters,
  webhook_id: Type.Optional(uuid('Only deliveries to this endpoint.')),
  // Any text is valid, also one that PostgreSQL cannot store: it finds nothing.
  q: withUncheckedTexts(
    Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: searchLengthMax,
        description:
          'Only deliveries that the text stands for: the id of a delivery, an event or an object, or its first 8 characters or more; an event type; or the domain, zone or host name of the event. Case plays no part.',
      }),
    ),
  ),
}

type Values<Filters extends Type.TProperties> = Static<Type.TObject<Filters>>

/** Converts a query to the database filter. */
export const toDeliveryFilter = (
  query: Values<typeof deliveryFilters>,
): Omit<DeliveryFilter, 'tenantId'> => ({
  status: query.status,
  eventType: query.event_type,
  eventId: query.event_id,
  objectId: query.object_id,
  accountId: query.account_id,
  statusCode: query.status_code,
  errorClass: query.error_class,
  sinceMs: query.since === undefined ? undefined : Date.parse(query.since),
  untilMs: query.until === undefined ? undefined : Date.parse(query.until),
})

/** Converts a query about the caller's organization to the database filter. */
export const toOrganizationFilter = (
  { tenant }: Pick<Caller, 'tenant'>,
  query: Values<typeof organizationDeliveryFilters>,
): DeliveryFilter => ({
  ...toDeliveryFilter(query),
  tenantId: tenant.id,
  endpointId: query.webhook_id,
  search: query.q === undefined ? undefined : parseDeliverySearch(query.q),
})
