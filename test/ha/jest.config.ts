import type { Config } from 'jest'
import shared from '../../jest.config.ts'

/**
 * The suite of failovers starts and kills its own servers and shares none with the other tests. Two files run in
 * parallel, because most of their time is waiting for servers.
 */
const config: Config = {
  ...shared,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/ha/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  globalSetup: '<rootDir>/test/ha/global-setup.ts',
  globalTeardown: null,
  maxWorkers: 2,
  testTimeout: 600_000,
}

export default config
