import type { Config } from 'jest'

const es2024 = { target: 'es2024' } as const
const modules = { type: 'es6' } as const
const jsx = { react: { runtime: 'automatic', importSource: 'preact' } } as const

const config: Config = {
  testMatch: ['<rootDir>/{apps,packages,tools,test,bench}/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/(chaos|image)/'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { ...es2024, parser: { syntax: 'typescript' } }, module: modules },
    ],
    '^.+\\.tsx$': [
      '@swc/jest',
      {
        jsc: { ...es2024, parser: { syntax: 'typescript', tsx: true }, transform: jsx },
        module: modules,
      },
    ],
  },
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  moduleNameMapper: {
    '^@hosting/(core|html|postgres|process|redis|sdk)$': '<rootDir>/packages/$1/src/index.ts',
    '^@hosting/sdk/internal$': '<rootDir>/packages/sdk/src/internal/index.ts',
    '^@hosting/(api|worker)$': '<rootDir>/apps/$1/src/index.ts',
  },
  modulePathIgnorePatterns: ['/dist/'],
  testEnvironment: 'node',
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // At most the number of cores of a small machine: the processes that tests start run in parallel.
  maxWorkers: 2,
  // Modules of finished test files stay in memory, so a worker that holds more than this is replaced.
  workerIdleMemoryLimit: '1GB',
  // On a busy machine, a large worker may take longer to exit than jest's default of 500 ms.
  workerGracefulExitTimeout: 10_000,
  // For tests that hang: waiting for events on a busy machine takes long.
  testTimeout: 60_000,
}

export default config
