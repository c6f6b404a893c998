export * from './problem.ts'
export * from './problems.ts'
