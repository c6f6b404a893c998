export * from './sealed-secrets.ts'
