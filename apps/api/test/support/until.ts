import { setTimeout as delay } from 'node:timers/promises'

/** Waits until a condition holds that another process or connection brings about; gives its value. */
export async function until<T>(
  what: string,
  condition: () => Promise<T | undefined | false>,
  { withinMs = 30_000 } = {},
): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const value = await condition()
    if (value !== undefined && value !== false) return value
    if (performance.now() > deadline) throw new Error(`Waited in vain until ${what}.`)
    await delay(10)
  }
}
