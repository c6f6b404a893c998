import { patienceMs } from './patience.ts'

/**
 * Polls until the result is the expected one.
 *
 * @throws Error with the last result after `timeoutMs`.
 */
export async function until<T>(
  ask: () => Promise<T>,
  isDone: (result: T) => boolean,
  timeoutMs = patienceMs,
): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const result = await ask()
    if (isDone(result)) return result
    if (Date.now() > deadline) throw new Error(`waited in vain: ${JSON.stringify(result)}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
