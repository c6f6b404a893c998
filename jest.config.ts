import type { Config } from 'jest'
import { testMsMax } from './test/support/patience.ts'

/** Whether the command names files or folders, and does not run `npm test` as a whole. */
const namesPaths = process.argv.slice(2).some((argument) => /^[^-].*\//.test(argument))

// `tools` and the other folders of `test` are suites of their own: see "Test suites" in CONTRIBUTING.md.
const folders = namesPaths
  ? '{apps,packages,tools,test,bench}'
  : '{apps,packages,bench,test/structure,test/faults}'

const config: Config = {
  testMatch: [`<rootDir>/${folders}/**/*.test.ts`],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/(ha|image|interop|releases)/'],
  testRunner: '<rootDir>/test/runner/test-runner.ts',
  testSequencer: '<rootDir>/test/runner/sequencer.ts',
  transform: {},
  injectGlobals: false,
  modulePathIgnorePatterns: ['/dist/', '<rootDir>/.cache/'],
  testEnvironment: '<rootDir>/test/runner/environment.ts',
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // Twice the cores of a small machine: tests wait for PostgreSQL and for processes.
  maxWorkers: 4,
  // Modules of finished test files stay in memory, so a worker that holds more than this is replaced.
  workerIdleMemoryLimit: '1GB',
  // On a busy machine, a large worker may take longer to exit than jest's default of 500 ms.
  workerGracefulExitTimeout: 10_000,
  testTimeout: testMsMax,
}

export default config
