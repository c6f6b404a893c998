export * from './problem-document.ts'
export * from './problem.ts'
export * from './problems.ts'
