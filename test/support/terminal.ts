import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { stripVTControlCharacters } from 'node:util'
import { root } from '../../tools/run.ts'

/** A program that runs in its own terminal, as it does interactively. */
export interface TerminalProgram {
  /** The screen's text until now, in order, without escape sequences. */
  readonly screen: string
  /** The same with them. */
  readonly written: string
  /** Waits until the text matches; returns the match. */
  shows(pattern: RegExp): Promise<RegExpExecArray>
  type(keys: string): void
  readonly ended: Promise<number | null>
}

/** The command line of `hctl` in a shell. */
export const hctlCommand = `"${process.execPath}" "${root}apps/cli/bin/hctl.js"`

/** Runs `hctl` in a pseudo-terminal. */
export const hctlInTerminal = (words: string, env: Record<string, string>): TerminalProgram =>
  shellInTerminal(`exec ${hctlCommand} ${words}`, env)

/** Ended with this process: a program that a failed test leaves behind must not keep it alive. */
const running = new Set<ChildProcess>()
process.once('exit', () => running.forEach((child) => child.kill()))

/** Runs commands of a shell in a pseudo-terminal, with `script` of util-linux. */
export function shellInTerminal(commands: string, env: Record<string, string>): TerminalProgram {
  // A new terminal has a width of 0, so every letter would wrap.
  const command = `stty cols 120 rows 40; ${commands}`
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    env: { PATH: process.env['PATH'], TERM: 'xterm', SHELL: '/bin/sh', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  running.add(child)
  child.unref()
  for (const stream of [child.stdin, child.stdout]) (stream as Socket).unref()
  let written = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written += text))
  let over = false
  // After all output was read, which may be some time after the exit.
  const ended = once(child, 'close').then(([code]) => {
    over = true
    running.delete(child)
    return code as number | null
  })
  return {
    get written() {
      return written
    },
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
