export * from './device-checks.ts'
export * from './device-logins.ts'
