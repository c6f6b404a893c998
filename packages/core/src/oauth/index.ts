export * from './token-request.ts'
