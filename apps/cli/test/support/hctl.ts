import { PassThrough, Readable } from 'node:stream'
import { makeTemporaryFolder } from '../../../../test/support/temporary-folder.ts'
import type { Environment, InputStream } from '../../src/environment.ts'
import { Interruption } from '../../src/exit-codes.ts'
import { run } from '../../src/run.ts'
import type { Keyring } from '../../src/storage/keychain.ts'

/** The result of a command line. */
export interface Result {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** How a run differs from the default: no terminal, no variables, a working keychain. */
export interface Situation {
  readonly env?: Record<string, string>
  readonly stdin?: string
  /** Standard input and output are a terminal. */
  readonly terminal?: boolean
  /** The width of the terminal. */
  readonly columns?: number
  readonly keyring?: () => Promise<Keyring>
  readonly signal?: AbortSignal
  readonly fetch?: typeof fetch
  /** Called with each text that is written to stdout. */
  readonly onText?: (text: string) => void
  /** Sleeps return at once, and the clock moves on by their length. */
  readonly hurry?: boolean
  /** Runs during each sleep. */
  readonly whileWaiting?: () => Promise<void> | undefined
}

/** A machine on which `hctl` runs repeatedly. */
export interface Machine {
  readonly directory: string
  /** The contents of the keychain. */
  readonly keychain: Map<string, string>
  readonly openedUrls: string[]
  /** The lengths of all sleeps, in ms. */
  readonly sleeps: number[]
  hctl(line: string | readonly string[], situation?: Situation): Promise<Result>
}

export async function makeMachine(env: Record<string, string> = {}): Promise<Machine> {
  const directory = makeTemporaryFolder()
  const keychain = new Map<string, string>()
  const openedUrls: string[] = []
  const sleeps: number[] = []
  let aheadMs = 0
  return {
    directory,
    keychain,
    openedUrls,
    sleeps,
    async hctl(line, situation = {}) {
      const written = { stdout: '', stderr: '' }
      const { terminal: isTTY = false, columns = 80, hurry = false, onText } = situation
      const streamOf = (name: 'stdout' | 'stderr') => ({
        isTTY,
        columns,
        write(text: string) {
          written[name] += text
          if (name === 'stdout') onText?.(text)
        },
      })
      const environment: Environment = {
        env: { XDG_CONFIG_HOME: directory, ...env, ...situation.env },
        platform: 'linux',
        homeDirectory: directory,
        stdin: inputOf(situation),
        stdout: streamOf('stdout'),
        stderr: streamOf('stderr'),
        fetch: situation.fetch ?? globalThis.fetch,
        openUrl: (url) => Promise.resolve(openedUrls.push(url)),
        loadKeyring: situation.keyring ?? (() => Promise.resolve(keyringOver(keychain))),
        now: () => Date.now() + aheadMs,
        async sleep(ms, signal) {
          signal?.throwIfAborted()
          sleeps.push(ms)
          await situation.whileWaiting?.()
          if (hurry) aheadMs += ms
          else await new Promise((resolve) => setTimeout(resolve, 20))
        },
        signal: situation.signal ?? new AbortController().signal,
      }
      const words = typeof line === 'string' ? line.split(' ') : line
      return { code: await run(words, environment), ...written }
    },
  }
}

/** A working keychain. */
export const keyringOver = (entries: Map<string, string>): Keyring => ({
  read: (account) => Promise.resolve(entries.get(account)),
  write: (account, secret) => Promise.resolve(void entries.set(account, secret)),
  remove: (account) => Promise.resolve(void entries.delete(account)),
})

/** Parses the lines of JSON that a command printed. */
export const linesOf = ({ stdout }: Result): Record<string, unknown>[] =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)

/** Parses the JSON document that a successful command printed. */
export function documentOf({ stdout, stderr, code }: Result) {
  if (code !== 0) throw new Error(`hctl exited with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

/** The exit code, and the error code that a command with `--json` printed. */
export const failureOf = ({ code, stderr }: Result) => ({
  exit: code,
  code: (JSON.parse(stderr.trim().split('\n').at(-1)!) as { error: { code: string } }).error.code,
})

/** A signal that `interrupt` aborts as Ctrl-C does. */
export function interruptible(): { signal: AbortSignal; interrupt: () => void } {
  const controller = new AbortController()
  return {
    signal: controller.signal,
    interrupt: () => controller.abort(new Interruption()),
  }
}

function inputOf({ stdin, terminal }: Situation): InputStream {
  if (terminal)
    return Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined })
  return Readable.from(stdin === undefined ? [] : [stdin])
}
