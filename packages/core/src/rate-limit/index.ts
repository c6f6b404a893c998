export * from './window.ts'
