import type { Config } from 'jest'
import shared from '../../jest.config.ts'

/**
 * The end-to-end tests on many machines' set-up: two API processes and two workers for each one, a Redis
 * Cluster, and PgBouncer before PostgreSQL. Left out are tests with servers of their own, which would be the
 * same here, and those that count the places of one worker.
 */
const config: Config = {
  ...shared,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/end-to-end/**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/test/end-to-end/(fairness|gate-redis|logs|metrics|processes|restore).test.ts',
  ],
  globalSetup: '<rootDir>/test/many/global-setup.ts',
  globalTeardown: '<rootDir>/test/many/global-teardown.ts',
  maxWorkers: 1,
}

export default config
