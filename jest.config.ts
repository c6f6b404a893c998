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
    '^@hosting/(core|pages|postgres|process|redis|sdk)$': '<rootDir>/packages/$1/src/index.ts',
    '^@hosting/(api|worker)$': '<rootDir>/apps/$1/src/index.ts',
  },
  modulePathIgnorePatterns: ['/dist/'],
  testEnvironment: 'node',
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // As many as a small machine has cores: what tests start runs beside them.
  maxWorkers: 2,
  // On a busy machine a process that has grown may take longer to end than jest's 500 ms.
  workerGracefulExitTimeout: 10_000,
  // For tests that hang: one that waits for events on a busy machine takes its time.
  testTimeout: 60_000,
}

export default config
