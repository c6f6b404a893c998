export * from './counted-calls.ts'
