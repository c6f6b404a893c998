export * from './accounts.ts'
export * from './api-keys.ts'
export * from './audit-events.ts'
export * from './caller-locks.ts'
export * from './database.ts'
export * from './deliveries.ts'
export * from './delivery-list.ts'
export * from './device-approvers.ts'
export * from './device-requests.ts'
export * from './errors.ts'
export * from './follow-clock.ts'
export * from './events.ts'
export { withExpectedStart } from './expected-starts.ts'
export * from './form-drafts.ts'
export * from './key-policies.ts'
export * from './partitions.ts'
export * from './abandon-deliveries.ts'
export * from './claim-attempts.ts'
export * from './due-attempts.ts'
export {
  relayHorizonMs,
  restoreWakeups,
  type WakeupSlice,
  type WakeupWalk,
} from './endpoint-wakeups.ts'
export * from './finish-attempts.ts'
export * from './installation-state.ts'
export * from './server-timeouts.ts'
export * from './postpone-attempts.ts'
export * from './service-database.ts'
export * from './service-settings.ts'
export * from './session-records.ts'
export * from './sessions.ts'
export * from './sign-in-links.ts'
export * from './sign-in-records.ts'
export * from './throttles.ts'
export { defaultTimeouts, type Timeouts } from './timeouts.ts'
export * from './totp-factors.ts'
export * from './tenants.ts'
export * from './users.ts'
export * from './webhook-endpoints.ts'
export * from './webhook-headers.ts'
export * from './webhook-listeners.ts'
export type {
  EndpointDisabledReason,
  EndpointHealthState,
  IncidentClosedBy,
  KeyKind,
  KeySource,
  RecoveryStatus,
} from './generated/enums.ts'
export * from './key-records.ts'
export * from './key-changes.ts'
export * from './key-counts.ts'
export * from './key-lineage.ts'
export * from './key-usage.ts'
export * from './idempotency-records.ts'
export * from './incidents.ts'
export * from './audit-choices.ts'
export * from './audit-log.ts'
export * from './audit-rights.ts'
export * from './audit-chain.ts'
export * from './audit-links.ts'
export * from './audit-verification.ts'
export * from './lost-deliveries.ts'
export * from './manual-deliveries.ts'
export * from './notice-feed.ts'
export * from './notice-mails.ts'
export * from './notices.ts'
export * from './notification-settings.ts'
export * from './recoveries.ts'
export * from './attempt-stats.ts'
export * from './expired-secrets.ts'
export * from './expiring-keys.ts'
export * from './sealed-secrets.ts'
export * from './retention.ts'
export * from './revocation-attempts.ts'
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
