export * from './limits.ts'
export * from './usage-days.ts'
