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
export * from './operations-overview.ts'
export { slowLookedAtMax } from './operations-statements.ts'
