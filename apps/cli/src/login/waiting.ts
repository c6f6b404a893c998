import { Interruption } from '../exit-codes.ts'
import { showRemaining } from '../output/times.ts'
import type { Surroundings } from '../surroundings.ts'

const frames = Array.from('⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏')
const frameMs = 100

/** What the keys do while a person waits; Ctrl-C and q end it. */
export type Keys = Readonly<Record<string, () => void>>

/** Shows one line that counts down, and listens to the keys, until `work` has ended. */
export async function whileWaiting<T>(
  { stdin, stdout, now }: Pick<Surroundings, 'stdin' | 'stdout' | 'now'>,
  { expiresAt, keys, help }: { expiresAt: number; keys: Keys; help: string },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stopped = new AbortController()
  const onKeys = (typed: Buffer | string): void => {
    for (const key of typed.toString()) {
      if (key === 'q' || key === '\u0003') stopped.abort(new Interruption())
      else keys[key]?.()
    }
  }
  let frame = 0
  const show = (): void => {
    frame = (frame + 1) % frames.length
    const left = showRemaining(expiresAt - now())
    stdout.write(`\r\u001B[K${frames[frame]} Waiting for approval... ${left} left   (${help})`)
  }
  const timer = setInterval(show, frameMs)
  const raw = stdin.isTTY === true
  if (raw) {
    stdin.setRawMode?.(true)
    stdin.on('data', onKeys).resume()
  }
  try {
    return await work(stopped.signal)
  } finally {
    clearInterval(timer)
    if (raw) {
      stdin.setRawMode?.(false)
      stdin.off('data', onKeys).pause()
    }
    stdout.write('\r\u001B[K')
  }
}
