export * from './bare-code.ts'
export * from './canonical-json.ts'
export * from './describe-agent.ts'
export * from './visible-text.ts'
