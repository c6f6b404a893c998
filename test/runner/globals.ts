import type * as jest from '@jest/globals'

declare global {
  /** The functions that jest's test framework makes for the test file that runs. */
  // eslint-disable-next-line no-var -- a global of the jest worker, set by the test runner
  var testFramework: typeof jest
}

// What test files import as '@jest/globals'.
export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } =
  globalThis.testFramework
