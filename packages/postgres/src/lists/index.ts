export * from './export-slots.ts'
export * from './saved-filters.ts'
