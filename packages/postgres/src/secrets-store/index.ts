export * from './encrypted-secrets.ts'
