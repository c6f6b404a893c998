export * from './batcher.ts'
export * from './in-progress.ts'
export * from './turns.ts'
