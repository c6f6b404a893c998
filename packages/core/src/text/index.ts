export * from './describe-agent.ts'
export * from './visible-text.ts'
