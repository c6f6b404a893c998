export * from './metrics.ts'
export * from './start.ts'
