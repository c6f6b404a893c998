export * from './database-state.ts'
export * from './database.ts'
export * from './errors.ts'
export type { ClockFollower } from './follow-clock.ts'
export * from './installation-state.ts'
export * from './partitions.ts'
export { readServerName } from './server-lineage.ts'
export * from './server-timeouts.ts'
export * from './session-settings.ts'
export * from './service-database.ts'
export * from './service-settings.ts'
export { silenceCheckName } from './silence.ts'
export { defaultTimeouts, type Timeouts } from './timeouts.ts'
export { inTransaction, RolledBack } from './transaction.ts'
export { findDutyWork, type DutyWork } from './duty-work.ts'
export type {
  EndpointDisabledReason,
  EndpointHealthState,
  IncidentClosedBy,
  KeyKind,
  KeySource,
  RecoveryStatus,
} from '../generated/enums.ts'
