import type { Keyring } from './storage/keyring.ts'

/** What a command line runs in. The process's own in main.ts; tests give theirs. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly homeDirectory: string
  readonly stdin: InputStream
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  readonly fetch: typeof globalThis.fetch
  /** Opens an address in the person's browser. */
  readonly openUrl: (url: string) => Promise<unknown>
  /** The system's keychain; rejects where there is none. */
  readonly loadKeyring: () => Promise<Keyring>
  readonly now: () => number
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Aborted by Ctrl-C and SIGTERM, the reason an {@link Interruption}. */
  readonly signal: AbortSignal
}

export type InputStream = NodeJS.ReadableStream & {
  readonly isTTY?: boolean
  setRawMode?(mode: boolean): unknown
}

export interface OutputStream {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** Whether a person sits before it, who can be asked. */
export const isInteractive = ({ stdin, stdout }: Surroundings): boolean =>
  stdin.isTTY === true && stdout.isTTY === true

/** Whether a build server runs it, where nobody can approve anything. */
export const isCi = ({ env }: Surroundings): boolean =>
  Boolean(env['CI']) && env['CI'] !== 'false' && env['CI'] !== '0'
