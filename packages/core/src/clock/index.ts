export * from './clock.ts'
export * from './durations.ts'
export * from './ends.ts'
export * from './time-ago.ts'
