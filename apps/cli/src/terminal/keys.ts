import type { Environment } from '../environment.ts'
import { Interruption } from '../exit-codes.ts'

/** The terminal of a command that reacts to single keys. */
export interface Keys {
  /** Aborted by Ctrl-C, and by signals to the process. */
  readonly signal: AbortSignal
  /** Lets a prompt read the terminal until it ends. */
  lend<T>(prompt: () => Promise<T>): Promise<T>
}

const escape = '\u001B'

/** What the cursor keys send. */
export const cursorKeys = { up: `${escape}[A`, down: `${escape}[B` } as const

/** A cursor key, or a letter. */
const keyPattern = new RegExp(`${escape}\\[[A-D]|.`, 'gsu')

const ctrlC = '\u0003'
const ctrlZ = '\u001A'

/**
 * Reads single keys until `work` ends. Ctrl-C interrupts, and Ctrl-Z suspends, as without. The terminal gets its mode
 * back whichever way the work ends, and at a signal before the process does.
 */
export async function withKeys<T>(
  { stdin, platform, signal: given }: Pick<Environment, 'stdin' | 'platform' | 'signal'>,
  onKey: (key: string) => void,
  work: (keys: Keys) => Promise<T>,
): Promise<T> {
  const interrupted = new AbortController()
  const signal = AbortSignal.any([given, interrupted.signal])
  const onData = (typed: Buffer | string): void => {
    for (const [key] of typed.toString().matchAll(keyPattern)) {
      if (key === ctrlC) interrupted.abort(new Interruption())
      else if (key === ctrlZ && platform !== 'win32') suspend()
      else onKey(key)
    }
  }
  const take = (): void => {
    if (signal.aborted) return
    stdin.setRawMode?.(true)
    stdin.on('data', onData).resume()
  }
  const release = (): void => {
    stdin.setRawMode?.(false)
    stdin.off('data', onData).pause()
  }
  /** Stops the process as the terminal itself would. It continues here when it is in the foreground again. */
  const suspend = (): void => {
    release()
    process.kill(0, 'SIGTSTP')
    take()
  }
  signal.addEventListener('abort', release, { once: true })
  take()
  try {
    return await work({
      signal,
      async lend(prompt) {
        release()
        try {
          return await prompt()
        } finally {
          take()
        }
      },
    })
  } finally {
    signal.removeEventListener('abort', release)
    release()
  }
}
