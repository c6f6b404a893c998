export * from './listener.ts'
export * from './logger.ts'
export * from './operations-routes.ts'
export * from './run-process.ts'
