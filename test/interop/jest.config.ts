import type { Config } from 'jest'
import everywhere from '../../jest.config.ts'

/** Other people's software against the running API. Installs it under `.cache/interop` once. */
const config: Config = {
  ...everywhere,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/interop/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
  // Clients wait between polls.
  maxConcurrency: 20,
  testTimeout: 600_000,
}

export default config
