export * from './secrets-store.ts'
