/**
 * The statuses of a delivery (docs/specification/deliveries.md#status). `delivery-select.ts` in packages/postgres derives
 * them. `waiting_endpoint`: the endpoint is disabled, so nothing is sent
 * (packages/postgres/src/webhooks/disabled-endpoints.ts).
 */
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

/** The label of each status for people, the same in the panel and in `hctl`. */
export const deliveryStatusLabels = {
  queued: 'Queued',
  in_flight: 'Sending',
  waiting_retry: 'Retrying',
  waiting_endpoint: 'Paused',
  succeeded: 'Delivered',
  dead: 'Failed',
} as const satisfies Readonly<Record<DeliveryStatus, string>>
