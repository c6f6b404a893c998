import type { Config } from 'jest'
import shared from '../../jest.config.ts'

/**
 * The chaos suite starts and kills servers of its own, so it shares none with the other tests. Its files run side by
 * side, each on its own servers: a system whose database stalls leaves the machine to the others.
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
