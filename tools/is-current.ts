import { statSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { root } from './run.ts'

/**
 * Whether a build is newer than all of its inputs.
 *
 * @param stamp - the file that the build writes last.
 * @param inputs - patterns of paths, relative to the root.
 */
export async function isCurrent(stamp: string, inputs: readonly string[]): Promise<boolean> {
  const builtAt = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs
  if (builtAt === undefined) return false
  for await (const path of glob([...inputs], { cwd: root })) {
    if (statSync(root + path).mtimeMs >= builtAt) return false
  }
  return true
}
