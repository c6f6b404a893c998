import type { Config } from 'jest'
import shared from '../../jest.config.ts'
import subjects from './subjects.json' with { type: 'json' }

/**
 * End-to-end tests with two API processes and two workers for each one, a Redis Cluster, and PgBouncer. Their subjects
 * are what several machines can change: publishes, deliveries, limits and changes that processes share through Redis,
 * and transactions, locks and connections behind a pooler. The other end-to-end tests are about what one process writes,
 * shows or refuses, and how it starts and ends.
 */
const config: Config = {
  ...shared,
  rootDir: '../..',
  testMatch: subjects.map((subject) => `<rootDir>/test/end-to-end/${subject}.test.ts`),
  testPathIgnorePatterns: ['/node_modules/'],
  globalSetup: '<rootDir>/test/many/global-setup.ts',
  globalTeardown: '<rootDir>/test/many/global-teardown.ts',
  maxWorkers: 1,
}

export default config
