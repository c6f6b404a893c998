export * from './actions.ts'
export * from './chain.ts'
export * from './changed-members.ts'
export * from './limits.ts'
