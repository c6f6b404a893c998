export * from './api-keys/api-keys.ts'
export * from './api-keys/expired-secrets.ts'
export * from './api-keys/expiring-keys.ts'
export * from './api-keys/key-changes.ts'
export * from './api-keys/key-counts.ts'
export * from './api-keys/key-lineage.ts'
export * from './api-keys/key-policies.ts'
export * from './api-keys/key-records.ts'
export * from './api-keys/key-usage.ts'
export * from './api-keys/revocation-attempts.ts'

export * from './audit/audit-chain.ts'
export * from './audit/audit-choices.ts'
export * from './audit/audit-events.ts'
export * from './audit/audit-links.ts'
export * from './audit/audit-log.ts'
export * from './audit/audit-rights.ts'
export * from './audit/audit-verification.ts'

export * from './database/database.ts'
export * from './database/errors.ts'
export * from './database/installation-state.ts'
export * from './database/partitions.ts'
export * from './database/server-timeouts.ts'
export * from './database/service-database.ts'
export * from './database/service-settings.ts'
export { defaultTimeouts, type Timeouts } from './database/timeouts.ts'

export * from './deliveries/abandon-deliveries.ts'
export * from './deliveries/attempt-stats.ts'
export * from './deliveries/claim-attempts.ts'
export * from './deliveries/deliveries.ts'
export * from './deliveries/delivery-list.ts'
export * from './deliveries/due-attempts.ts'
export {
  relayHorizonMs,
  restoreWakeups,
  type WakeupSlice,
  type WakeupWalk,
} from './deliveries/endpoint-wakeups.ts'
export { withExpectedStart } from './deliveries/expected-starts.ts'
export * from './deliveries/finish-attempts.ts'
export * from './deliveries/follow-clock.ts'
export * from './deliveries/lost-deliveries.ts'
export * from './deliveries/manual-deliveries.ts'
export * from './deliveries/postpone-attempts.ts'

export * from './device-login/device-approvers.ts'
export * from './device-login/device-requests.ts'

export * from './directory/accounts.ts'
export * from './directory/tenants.ts'
export * from './directory/users.ts'

export type {
  EndpointDisabledReason,
  EndpointHealthState,
  IncidentClosedBy,
  KeyKind,
  KeySource,
  RecoveryStatus,
} from './generated/enums.ts'

export * from './idempotency/idempotency-records.ts'

export * from './notices/notice-feed.ts'
export * from './notices/notice-mails.ts'
export * from './notices/notices.ts'
export * from './notices/notification-settings.ts'

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
} from './operators/operations-backlog.ts'
export type { FailingEndpoint, FailingEndpoints } from './operators/operations-failing.ts'
export * from './operators/operations-overview.ts'

export * from './retention/retention.ts'

export * from './secrets-store/sealed-secrets.ts'

export * from './sessions/caller-locks.ts'
export * from './sessions/form-drafts.ts'
export * from './sessions/session-records.ts'
export * from './sessions/sessions.ts'
export * from './sessions/sign-in-links.ts'
export * from './sessions/sign-in-records.ts'
export * from './sessions/throttles.ts'
export * from './sessions/totp-factors.ts'

export * from './webhooks/events.ts'
export * from './webhooks/incidents.ts'
export * from './webhooks/recoveries.ts'
export * from './webhooks/webhook-endpoints.ts'
export * from './webhooks/webhook-headers.ts'
export * from './webhooks/webhook-listeners.ts'
