import type { Config } from 'jest'
import shared from '../../jest.config.ts'

/** The processes of two commits side by side. Builds the commit before, which takes half a minute. */
const config: Config = {
  ...shared,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/releases/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
  testTimeout: 180_000,
}

export default config
