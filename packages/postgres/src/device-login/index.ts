export * from './device-approvers.ts'
export * from './device-limits.ts'
export * from './device-logins.ts'
