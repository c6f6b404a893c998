export { ApiProblem, ConnectionError, InvalidTokenError } from '#connection'
export * from './api-types.ts'
export * from './client.ts'
export * from './directory-sync.ts'
