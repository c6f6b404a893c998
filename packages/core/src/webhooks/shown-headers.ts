import { deliveryHeaders, type DeliveryNaming } from './delivery-headers.ts'

/** A header of an attempt's request. `value` is undefined if it is hidden. */
export interface ShownHeader {
  readonly name: string
  readonly value: string | undefined
}

/**
 * The headers of an attempt's request, for people (docs/specification/deliveries.md#request-headers). They are
 * not stored but computed again. Signatures and the values of custom headers are hidden.
 */
export function shownAttemptHeaders({
  deliveryId,
  eventType,
  startedAt,
  standardEventId,
  customNames = [],
  naming,
}: {
  deliveryId: string
  eventType: string
  startedAt: Date
  /** The event's id, if the endpoint gets the headers of Standard Webhooks. */
  standardEventId?: string | undefined
  /** The names of the endpoint's custom headers. */
  customNames?: readonly string[]
  /** The configured names. */
  naming?: DeliveryNaming
}): readonly ShownHeader[] {
  const unixSeconds = Math.floor(startedAt.getTime() / 1_000)
  const standard =
    standardEventId === undefined
      ? undefined
      : { eventId: standardEventId, keys: [new Uint8Array(32)] }
  const part = { body: '', secrets: [], deliveryId, eventType, unixSeconds }
  const headers = deliveryHeaders({ ...part, standard, ...(naming && { naming }) })
  return [
    ...Object.entries(headers).map(([name, value]) => ({
      name,
      value: /signature$/i.test(name) ? undefined : value,
    })),
    ...customNames.map((name) => ({ name, value: undefined })),
  ]
}
