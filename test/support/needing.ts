import { describe, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'

/** A program with its arguments. */
export type Command = readonly [program: string, ...args: string[]]

/** Whether a command succeeds, which shows that its program is installed. */
export const succeeds = ([program, ...args]: Command): boolean =>
  spawnSync(program, args).status === 0

/** The functions of jest for tests that need a program. */
export interface Needing {
  readonly test: typeof test.skip
  readonly describe: typeof describe.skip
  /** `test.concurrent`. */
  readonly concurrent: (name: string, run: () => Promise<unknown>) => void
}

/**
 * The `test` and `describe` of what needs a program. They skip with a notice if it is not installed, because the machine of
 * a developer need not have every language.
 *
 * @throws Error in CI, where no test is skipped.
 */
export function needing(program: string, isInstalled: boolean): Needing {
  if (isInstalled) return { test, describe, concurrent: test.concurrent }
  if (process.env['CI'] === 'true')
    throw new Error(`${program} is missing: in CI no test is skipped.`)
  process.stderr.write(`\n*** TESTS ARE SKIPPED, BECAUSE ${program} IS NOT INSTALLED. ***\n\n`)
  return { test: test.skip, describe: describe.skip, concurrent: test.skip }
}
