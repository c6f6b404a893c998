export * from './local-budgets.ts'
export * from './window.ts'
