import type { Config } from 'jest'
import shared from '../../jest.config.ts'

/** The chaos suite starts and kills servers of its own, so it shares none with the other tests. */
const config: Config = {
  ...shared,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/chaos/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  globalSetup: null,
  globalTeardown: null,
  maxWorkers: 1,
  testTimeout: 120_000,
}

export default config
