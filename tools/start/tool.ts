import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { root } from '../run.ts'

/**
 * Runs a tool until it exits, in its own process group: a Ctrl-C that interrupted a migration would leave a
 * database that refuses the next one.
 *
 * @param env - added to this process's environment.
 * @throws Error with all its output, if it fails.
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
