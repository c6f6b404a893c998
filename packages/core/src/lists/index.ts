export * from './cursor.ts'
export * from './limits.ts'
