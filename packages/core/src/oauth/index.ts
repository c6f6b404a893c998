export * from './error-description.ts'
export * from './grant-types.ts'
export * from './read-client.ts'
export * from './requested-scopes.ts'
