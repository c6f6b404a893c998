export {
  backlogLimits,
  byTenant,
  countLimits,
  type Backlog,
  type CountUpTo,
  type DueBacklog,
  type DueDeliveries,
  type EndpointBacklog,
  type TenantBacklog,
} from './operations-backlog.ts'
export type { FailingEndpoint, FailingEndpoints } from './operations-failing.ts'
export type { Blocker } from './operations-blockers.ts'
export {
  interruptionsMax,
  sampleMissingMs,
  type HistoryPoint,
  type Interruption,
  type ProcessState,
} from './operations-history.ts'
export * from './operations-overview.ts'
export { ProcessCounts } from './process-counts.ts'
export * from './sampling.ts'
export { slowLookedAtMax } from './operations-statements.ts'
