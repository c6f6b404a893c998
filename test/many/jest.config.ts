import type { Config } from 'jest'
import shared from '../../jest.config.ts'

/**
 * The end-to-end tests with the set-up of many machines: two API processes and two workers for each one, a Redis
 * Cluster, and PgBouncer in front of PostgreSQL. Excludes tests with servers of their own, which would be the
 * same here, tests that count the slots of one worker, and tests of what one process writes and shows.
 */
const config: Config = {
  ...shared,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/end-to-end/**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/test/end-to-end/(branding|fairness|gate-redis|logs|mails|metrics|processes|restore|sign-in-secrets|traces).test.ts',
  ],
  globalSetup: '<rootDir>/test/many/global-setup.ts',
  globalTeardown: '<rootDir>/test/many/global-teardown.ts',
  maxWorkers: 1,
}

export default config
