export * from './codes.ts'
export * from './decisions.ts'
export * from './limits.ts'
