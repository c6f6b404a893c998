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
  const taken = new Set<Promise<void>>()
  const starting = new Set<Promise<void>>()
  let waiting: (() => void)[] = []

  const workEnds = (): Promise<void> => new Promise((resolve) => waiting.push(resolve))

  function enter(work: () => Promise<void>): void {
    const ended = work().finally(() => {
      taken.delete(ended)
      const woken = waiting
      waiting = []
      for (const resolve of woken) resolve()
    })
    taken.add(ended)
  }

  async function startEach(works: readonly (() => Promise<void>)[]): Promise<void> {
    for (const work of works) {
      // Nothing may happen between the check and the entry: several calls may wait for the same slot.
      while (taken.size >= max) await workEnds()
      enter(work)
    }
    while (taken.size >= max) await workEnds()
  }

  return {
    async start(works) {
      const started = startEach(works).finally(() => starting.delete(started))
      starting.add(started)
      await started
    },
    async emptied() {
      await Promise.all(starting)
      await Promise.all(taken)
    },
  }
}
