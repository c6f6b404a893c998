export { abandonDeliveries, purgeDeletedEndpoints } from './abandon-deliveries.ts'
export * from './attempt-stats.ts'
export * from './bulk-choice.ts'
export * from './claim-attempts.ts'
export * from './deliveries.ts'
export type { DeliveryFilter } from './delivery-filter.ts'
export {
  countDeliveriesOverTime,
  type DeliveryBucket,
  type DeliveryHistogram,
  type HistogramSpans,
} from './delivery-histogram.ts'
export { listDeliveries, type DeliveryPage } from './delivery-list.ts'
export * from './due-attempts.ts'
export {
  relayHorizonMs,
  restoreWakeups,
  type WakeupSlice,
  type WakeupWalk,
} from './endpoint-wakeups.ts'
export * from './finish-attempts.ts'
export * from './lost-deliveries.ts'
export * from './manual-deliveries.ts'
export * from './matching-deliveries.ts'
export * from './postpone-attempts.ts'
export { renewLeases } from './renew-leases.ts'
export * from './retry-now.ts'
export { withExpectedStart } from './throttle.ts'
