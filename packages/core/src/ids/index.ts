export * from './uuid-text.ts'
export * from './uuid-v7.ts'
