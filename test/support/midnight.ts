import { setTimeout } from 'node:timers/promises'

const dayMs = 86_400_000

/** Waits until an imminent midnight UTC has passed, so that a test starts and ends on the same day. */
export async function passMidnight(nearMs: number): Promise<void> {
  const leftMs = dayMs - (Date.now() % dayMs)
  if (leftMs < nearMs) await setTimeout(leftMs + 1)
}
