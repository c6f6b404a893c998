export * from './limits.ts'
export * from './request-hash.ts'
