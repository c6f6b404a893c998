import { setTimeout as wait } from 'node:timers/promises'

/** Waits; rejects with the reason of the signal as soon as it is aborted. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await wait(ms, undefined, signal && { signal })
  } catch (error) {
    throw signal?.reason ?? error
  }
}
