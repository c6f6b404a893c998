export * from './uuid-v7.ts'
