import { createTurns } from '@hosting/core/concurrency'

/** The slots of attempts in progress. */
export interface Slots {
  /**
   * Starts each piece of work as soon as a slot is free. None may reject.
   *
   * @returns when all have started and another slot is free.
   */
  start(works: readonly (() => Promise<void>)[]): Promise<void>
  /** Waits until all work has started and ended. */
  emptied(): Promise<void>
}

/** @param max - the number of slots. */
export function createSlots(max: number): Slots {
  const turns = createTurns({ perKey: max })
  const starting = new Set<Promise<void>>()
  const running = new Set<Promise<void>>()

  // Without limits on waiting, every turn comes.
  const takeSlot = async () => (await turns.take('slot'))!

  async function startEach(works: readonly (() => Promise<void>)[]): Promise<void> {
    for (const work of works) {
      const leave = await takeSlot()
      const ended = work().finally(() => {
        leave()
        running.delete(ended)
      })
      running.add(ended)
    }
    const leave = await takeSlot()
    leave()
  }

  return {
    async start(works) {
      const started = startEach(works).finally(() => starting.delete(started))
      starting.add(started)
      await started
    },
    async emptied() {
      await Promise.all(starting)
      await Promise.all(running)
    },
  }
}
