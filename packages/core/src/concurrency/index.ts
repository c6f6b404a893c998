export * from './batcher.ts'
export * from './limits.ts'
export * from './turns.ts'
