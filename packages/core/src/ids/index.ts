export * from './external-id.ts'
export * from './uuid-text.ts'
export * from './uuid-v7.ts'
