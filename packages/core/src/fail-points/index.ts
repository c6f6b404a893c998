export * from './fail-points.ts'
