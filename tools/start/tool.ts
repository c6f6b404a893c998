import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { root } from '../run.ts'

/**
 * Runs one of the tools to its end, in a process group of its own: a Ctrl-C that cut a migration short
 * would leave a database that refuses the next one.
 *
 * @param env - laid over this process's environment.
 * @throws Error with all that it printed, if it fails.
 */
export async function runToolApart(file: string, env: NodeJS.ProcessEnv = {}): Promise<void> {
  const child = spawn(process.execPath, [file], {
    cwd: root,
    detached: true,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [[code], ...printed] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ])
  if (code !== 0) throw new Error(`${file} failed\n${printed.join('')}`)
}
