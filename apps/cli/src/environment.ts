import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Keyring } from './storage/keychain.ts'

/** What a command line runs in: main.ts passes the process's own, tests pass theirs. */
export interface Environment {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly homeDirectory: string
  readonly stdin: InputStream
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  readonly fetch: typeof globalThis.fetch
  /** The URL of the service from which `hctl` was downloaded. */
  readonly builtInServer?: string | undefined
  /** Opens a URL in the user's browser. */
  readonly openUrl: (url: string) => Promise<unknown>
  /** Loads the system keychain; rejects if there is none. */
  readonly loadKeyring: () => Promise<Keyring>
  readonly now: () => number
  /** Waits; rejects with the signal's reason as soon as it is aborted. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Aborted by Ctrl-C, SIGTERM and SIGHUP; its reason is an `Interruption`. */
  readonly signal: AbortSignal
}

export type InputStream = NodeJS.ReadableStream & {
  readonly isTTY?: boolean
  setRawMode?(mode: boolean): unknown
}

export interface OutputStream {
  readonly isTTY?: boolean
  /** The width of a terminal, in characters. */
  readonly columns?: number
  write(text: string): unknown
}

/** Whether a user is at the terminal and can confirm. */
export const isInteractive = ({ stdin, stdout }: Environment): boolean =>
  stdin.isTTY === true && stdout.isTTY === true

/** Whether a build server runs the command, where nobody can approve anything. */
export const isCi = ({ env }: Environment): boolean =>
  Boolean(env['CI']) && env['CI'] !== 'false' && env['CI'] !== '0'

/** The directory that holds profiles, and tokens that are not in the keychain. */
export function configDirectory({ env, platform, homeDirectory }: Environment): string {
  const base = platform === 'win32' ? env['APPDATA'] : env['XDG_CONFIG_HOME']
  return join(base || join(homeDirectory, '.config'), 'hctl')
}

const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')

/** The version of `hctl`. */
export const { version } = JSON.parse(manifest) as { version: string }
