export * from './batcher.ts'
export * from './turns.ts'
