import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { root } from '../../tools/run.ts'

/** Runs an example of a README. */
export function runExample(
  [command, ...args]: readonly [command: string, ...args: string[]],
  environment: Readonly<Record<string, string>>,
  cwd = root,
) {
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  let wake = (): void => undefined
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on('line', (line) => {
      lines.push(line)
      wake()
    })
  }
  let isRead = false
  const ended = (async () => {
    await once(child, 'close')
    isRead = true
    wake()
  })()
  return {
    lines,
    ended,
    /** Waits for a line. */
    async line(pattern: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        const found = lines.map((line) => pattern.exec(line)).find((match) => match !== null)
        if (found) return found
        // Check last: output may still be read after the process ended.
        if (isRead) throw new Error(lines.join('\n'))
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
    async stop() {
      child.kill()
      await ended
    },
  }
}
