/** The slots of each endpoint in this process. An attempt occupies one. */
export interface EndpointSlots {
  /**
   * Takes a slot. If none is free, waits briefly for one. No more callers may wait than there are
   * slots.
   *
   * @param max - the number of slots of the endpoint.
   * @returns whether a slot was taken. If so, the caller must {@link EndpointSlots.leave} it.
   */
  enter(endpointId: string, max: number): Promise<boolean>
  leave(endpointId: string): void
}

/** @param waitMs - how long a caller waits for a slot before it is rejected. */
export function createEndpointSlots(waitMs: number): EndpointSlots {
  const endpoints = new Map<string, Slots>()
  return {
    enter(endpointId, max) {
      const slots = endpoints.get(endpointId) ?? { taken: 0, waiting: new Set() }
      endpoints.set(endpointId, slots)
      if (slots.taken < max) {
        slots.taken += 1
        return Promise.resolve(true)
      }
      return slots.waiting.size < max ? waitIn(slots, max, waitMs) : Promise.resolve(false)
    },
    leave(endpointId) {
      const slots = endpoints.get(endpointId)!
      slots.taken -= 1
      const next = [...slots.waiting].find(({ max }) => slots.taken < max)
      if (next) {
        slots.taken += 1
        next.decide(true)
      } else if (slots.taken === 0) endpoints.delete(endpointId)
    },
  }
}

interface Slots {
  taken: number
  /** In order of arrival. */
  readonly waiting: Set<Waiter>
}

interface Waiter {
  readonly max: number
  /** Ends the wait, with a slot or without one. */
  decide(entered: boolean): void
}

const waitIn = ({ waiting }: Slots, max: number, waitMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    const self: Waiter = {
      max,
      decide(entered) {
        clearTimeout(timer)
        waiting.delete(self)
        resolve(entered)
      },
    }
    const timer = setTimeout(() => self.decide(false), waitMs)
    waiting.add(self)
  })
