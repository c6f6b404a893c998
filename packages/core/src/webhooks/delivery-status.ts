/** The statuses of a delivery (docs/specification/deliveries.md#status). */
export const deliveryStatuses = [
  'queued',
  'in_flight',
  'waiting_retry',
  'waiting_endpoint',
  'succeeded',
  'dead',
] as const

/** A status of {@link deliveryStatuses}. */
export type DeliveryStatus = (typeof deliveryStatuses)[number]
