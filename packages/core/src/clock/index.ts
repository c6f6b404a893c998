export * from './clock.ts'
export * from './durations.ts'
