import type * as jest from '@jest/globals'

declare global {
  /** The functions that jest's test framework makes for the test file that runs. */
  // eslint-disable-next-line no-var -- a global of the jest worker, set by the test runner
  var testFramework: typeof jest
}

// What test files import as '@jest/globals'.
const framework = globalThis.testFramework
export const afterAll: typeof jest.afterAll = framework.afterAll
export const afterEach: typeof jest.afterEach = framework.afterEach
export const beforeAll: typeof jest.beforeAll = framework.beforeAll
export const beforeEach: typeof jest.beforeEach = framework.beforeEach
export const describe: typeof jest.describe = framework.describe
export const expect: typeof jest.expect = framework.expect
export const it: typeof jest.it = framework.it
export const test: typeof jest.test = framework.test
