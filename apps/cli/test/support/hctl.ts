import { PassThrough, Readable } from 'node:stream'
import { makeTemporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { Interruption } from '../../src/exit-codes.ts'
import { run } from '../../src/run.ts'
import type { Keyring } from '../../src/storage/keyring.ts'
import type { InputStream, Surroundings } from '../../src/surroundings.ts'

/** What came of a command line. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** How a command line is run beside the usual: no terminal, no environment, a keychain that works. */
export interface Situation {
  readonly env?: Record<string, string>
  readonly stdin?: string
  /** A person sits before it. */
  readonly terminal?: boolean
  readonly keyring?: () => Promise<Keyring>
  readonly signal?: AbortSignal
  readonly fetch?: typeof fetch
  /** Told of every text on stdout as it comes. */
  readonly onText?: (text: string) => void
  /** What it waits is not waited for; its clock goes on as if it was. */
  readonly hurry?: boolean
  /** What happens in the world while a command waits. */
  readonly whileWaiting?: () => Promise<void> | undefined
}

/** A machine on which `hctl` is run time and again. */
export interface Machine {
  readonly directory: string
  /** What stands in the keychain. */
  readonly kept: Map<string, string>
  readonly opened: string[]
  /** How long commands waited, in ms. */
  readonly waits: number[]
  hctl(line: string | readonly string[], situation?: Situation): Promise<Ended>
}

export async function makeMachine(env: Record<string, string> = {}): Promise<Machine> {
  const directory = makeTemporaryFolder()
  const kept = new Map<string, string>()
  const opened: string[] = []
  const waits: number[] = []
  let aheadMs = 0
  return {
    directory,
    kept,
    opened,
    waits,
    async hctl(line, situation = {}) {
      const written = { stdout: '', stderr: '' }
      const { terminal: isTTY = false, hurry = false, onText } = situation
      const streamOf = (name: 'stdout' | 'stderr') => ({
        isTTY,
        write(text: string) {
          written[name] += text
          if (name === 'stdout') onText?.(text)
        },
      })
      const surroundings: Surroundings = {
        env: { XDG_CONFIG_HOME: directory, ...env, ...situation.env },
        platform: 'linux',
        homeDirectory: directory,
        stdin: inputOf(situation),
        stdout: streamOf('stdout'),
        stderr: streamOf('stderr'),
        fetch: situation.fetch ?? globalThis.fetch,
        openUrl: (url) => Promise.resolve(opened.push(url)),
        loadKeyring: situation.keyring ?? (() => Promise.resolve(keyringOver(kept))),
        now: () => Date.now() + aheadMs,
        async sleep(ms, signal) {
          signal?.throwIfAborted()
          waits.push(ms)
          await situation.whileWaiting?.()
          if (hurry) aheadMs += ms
          else await new Promise((resolve) => setTimeout(resolve, 20))
        },
        signal: situation.signal ?? new AbortController().signal,
      }
      const words = typeof line === 'string' ? line.split(' ') : line
      return { code: await run(words, surroundings), ...written }
    },
  }
}

/** A keychain that works. */
export const keyringOver = (kept: Map<string, string>): Keyring => ({
  read: (account) => Promise.resolve(kept.get(account)),
  write: (account, secret) => Promise.resolve(void kept.set(account, secret)),
  remove: (account) => Promise.resolve(void kept.delete(account)),
})

/** The lines of JSON that a command printed. */
export const linesOf = ({ stdout }: Ended): Record<string, unknown>[] =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)

/** The one document that a command printed. */
export function documentOf({ stdout, stderr, code }: Ended) {
  if (code !== 0) throw new Error(`hctl ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

/** What a command said of its failure, asked for as JSON. */
export const failureOf = ({ code, stderr }: Ended) => ({
  exit: code,
  code: (JSON.parse(stderr.trim().split('\n').at(-1)!) as { error: { code: string } }).error.code,
})

/** Ctrl-C. */
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
