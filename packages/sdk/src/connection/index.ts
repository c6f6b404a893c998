// The entry `@hosting/sdk/connection`: how clients of the service send requests. `@hosting/platform-sdk` uses it, too.
export * from './api-problem.ts'
export * from './call-api.ts'
export * from './connection-error.ts'
export * from './read-items.ts'
export { InvalidTokenError, requireToken } from './token.ts'
export type { RequiresInit } from './requires-init.ts'
