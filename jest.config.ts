import type { Config } from 'jest'

const config: Config = {
  testMatch: ['<rootDir>/{apps,packages,tools,test}/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/chaos/'],
  transform: {
    '^.+\\.tsx?$': [
      '@swc/jest',
      { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  moduleNameMapper: {
    '^@hosting/(core|postgres|process|redis|sdk)$': '<rootDir>/packages/$1/src/index.ts',
    '^@hosting/(api|worker)$': '<rootDir>/apps/$1/src/index.ts',
  },
  modulePathIgnorePatterns: ['/dist/'],
  testEnvironment: 'node',
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // One more than the cores of a small machine: tests wait for servers a good part of their time.
  maxWorkers: 3,
  testTimeout: 20_000,
}

export default config
