import type { Config } from 'jest'
import shared from '../../jest.config.ts'

/** A separate run, because building the image takes longer than most tests together. */
const config: Config = {
  ...shared,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/image/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
  // Beside the other suites, the build takes several times as long as alone.
  testTimeout: 900_000,
}

export default config
