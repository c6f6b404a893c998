import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The folder of the checkout. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Runs a program of the checkout to its end.
 *
 * @param env - laid over this process's environment.
 * @throws Error with all that it printed, if it fails.
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
