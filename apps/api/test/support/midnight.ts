import { setTimeout as delay } from 'node:timers/promises'

const dayMs = 86_400_000
/** Longer than a test takes that counts by the day, and shorter than a hook may take. */
const nearMs = 15_000

/** Lets a midnight of UTC that is near go by, so that a test begins and ends on the same day. */
export async function passMidnight(): Promise<void> {
  const leftMs = dayMs - (Date.now() % dayMs)
  if (leftMs <= nearMs) await delay(leftMs + 1)
}
