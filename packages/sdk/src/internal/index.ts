// The entry `@hosting/sdk/internal`: the client of the internal API, for services of the hosting platform.
export { ApiProblem } from '../api-problem.ts'
export { ConnectionError } from '../connection-error.ts'
export * from './client.ts'
