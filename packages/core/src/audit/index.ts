export * from './chain.ts'
export * from './limits.ts'
