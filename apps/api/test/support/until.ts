import { setTimeout as delay } from 'node:timers/promises'
import { patienceMs } from '../../../../test/support/patience.ts'

/** Waits until a condition holds that another process or connection brings about; gives its value. */
export async function until<T>(
  what: string,
  condition: () => Promise<T | undefined | false>,
  { withinMs = patienceMs } = {},
): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const value = await condition()
    if (value !== undefined && value !== false) return value
    if (performance.now() > deadline) throw new Error(`Waited in vain until ${what}.`)
    await delay(10)
  }
}
