export * from './codes.ts'
export * from './decide-poll.ts'
export * from './decisions.ts'
export * from './limits.ts'
