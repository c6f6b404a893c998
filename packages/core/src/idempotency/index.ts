export * from './canonical-json.ts'
export * from './limits.ts'
export * from './request-hash.ts'
