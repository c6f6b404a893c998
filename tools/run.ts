import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The root folder of the repository. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Runs a program of the repository until it exits.
 *
 * @param env - added to this process's environment.
 * @throws Error with all its output, if it fails.
 */
export function runTool(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })
  if (status === 0) return stdout
  throw new Error(`${command} ${args.join(' ')} failed\n${stdout ?? ''}${stderr ?? ''}`, {
    cause: error,
  })
}
