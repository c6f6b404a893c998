import { deliveryStatuses, eventTypes } from '@hosting/core'
import type { DeliveryFilter } from '@hosting/postgres'
import { Type } from 'typebox'
import { listQuery } from '../list.ts'
import { uuid } from '../schemas.ts'

/** A note in the description of every list of deliveries. */
export const partialPages =
  'If few deliveries match the filters, a page may hold fewer than `limit` or none: continue until `next_cursor` is null.'

/** The filters of every list of deliveries. */
export const deliveryListQuery = {
  ...listQuery,
  status: Type.Optional(
    Type.Unsafe<(typeof deliveryStatuses)[number]>({ type: 'string', enum: [...deliveryStatuses] }),
  ),
  event_type: Type.Optional(Type.String({ enum: [...eventTypes.keys()] })),
  event_id: Type.Optional(uuid),
  since: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Only deliveries created at or after this time.',
    }),
  ),
  until: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only deliveries created before this time.' }),
  ),
}

interface DeliveryListQuery {
  readonly status?: DeliveryFilter['status']
  readonly event_type?: string
  readonly event_id?: string
  readonly since?: string
  readonly until?: string
}

/** Converts a query to the database filter. */
export const toDeliveryFilter = (query: DeliveryListQuery): Omit<DeliveryFilter, 'tenantId'> => ({
  status: query.status,
  eventType: query.event_type,
  eventId: query.event_id,
  sinceMs: query.since === undefined ? undefined : Date.parse(query.since),
  untilMs: query.until === undefined ? undefined : Date.parse(query.until),
})
