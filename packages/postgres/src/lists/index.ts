export * from './export-slots.ts'
