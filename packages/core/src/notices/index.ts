export * from './describe-notice.ts'
export * from './limits.ts'
export * from './notice-types.ts'
