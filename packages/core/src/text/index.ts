export * from './canonical-json.ts'
export * from './visible-text.ts'
