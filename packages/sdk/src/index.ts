export * from './verify-webhook.ts'
export * from './webhook-verification-error.ts'
