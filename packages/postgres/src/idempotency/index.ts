export * from './idempotency-records.ts'
