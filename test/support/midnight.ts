import { setTimeout } from 'node:timers/promises'

const dayMs = 86_400_000

/** Lets a midnight of UTC that is nearer than this go by, so that what counts days begins and ends on the same one. */
export async function passMidnight(nearMs: number): Promise<void> {
  const leftMs = dayMs - (Date.now() % dayMs)
  if (leftMs < nearMs) await setTimeout(leftMs + 1)
}
