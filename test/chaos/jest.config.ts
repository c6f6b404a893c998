import type { Config } from 'jest'
import shared from '../../jest.config.ts'

/**
 * The chaos suite starts and kills its own servers and shares none with the other tests. Its files run in parallel,
 * each with its own servers: while the database of one system stalls, the others use the machine.
 */
const config: Config = {
  ...shared,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/chaos/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  globalSetup: '<rootDir>/test/support/build.ts',
  globalTeardown: null,
  maxWorkers: 2,
  testTimeout: 480_000,
}

export default config
