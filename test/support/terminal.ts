import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stripVTControlCharacters } from 'node:util'
import { root } from '../../tools/run.ts'

/** A program that runs in a terminal of its own, as it does before a person. */
export interface TerminalProgram {
  /** Everything on the screen so far, in order, without colours and the like. */
  readonly screen: string
  /** Waits until the screen shows something; gives what matched. */
  shows(pattern: RegExp): Promise<RegExpExecArray>
  type(keys: string): void
  readonly ended: Promise<number | null>
}

/** Runs `hctl` in a pseudo-terminal, by the `script` of util-linux. */
export function hctlInTerminal(words: string, env: Record<string, string>): TerminalProgram {
  // A new one has no width, and everything would be wrapped at each letter.
  const command = `stty cols 120 rows 40; exec "${process.execPath}" "${root}apps/cli/bin/hctl.js" ${words}`
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    env: { PATH: process.env['PATH'], TERM: 'xterm', SHELL: '/bin/sh', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let written = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written += text))
  let over = false
  // Once all that it wrote was read, which may be some time after it has ended.
  const ended = once(child, 'close').then(([code]) => {
    over = true
    return code as number | null
  })
  return {
    get screen() {
      return stripVTControlCharacters(written)
    },
    async shows(pattern) {
      for (;;) {
        const match = pattern.exec(this.screen)
        if (match) return match
        if (over) throw new Error(`ended without ${String(pattern)}:\n${written}`)
        await Promise.race([once(child.stdout, 'data'), ended])
      }
    },
    type: (keys) => void child.stdin.write(keys),
    ended,
  }
}
