/** How many attempts to each endpoint this process makes at a time. */
export interface EndpointPlaces {
  /**
   * Takes a place, waiting a moment for one: as many may wait as there are places.
   *
   * @param max - how many places the endpoint has.
   * @returns whether it was taken; then it must be left again.
   */
  enter(endpointId: string, max: number): Promise<boolean>
  leave(endpointId: string): void
}

/** @param waitMs - after so long without a place, a caller is turned away. */
export function createEndpointPlaces(waitMs: number): EndpointPlaces {
  const endpoints = new Map<string, Places>()
  return {
    enter(endpointId, max) {
      const places = endpoints.get(endpointId) ?? { taken: 0, waiting: new Set() }
      endpoints.set(endpointId, places)
      if (places.taken < max) {
        places.taken += 1
        return Promise.resolve(true)
      }
      return places.waiting.size < max ? waitIn(places, max, waitMs) : Promise.resolve(false)
    },
    leave(endpointId) {
      const places = endpoints.get(endpointId)!
      places.taken -= 1
      const next = [...places.waiting].find(({ max }) => places.taken < max)
      if (next) {
        places.taken += 1
        next.decide(true)
      } else if (places.taken === 0) endpoints.delete(endpointId)
    },
  }
}

interface Places {
  taken: number
  /** In order of arrival. */
  readonly waiting: Set<Waiting>
}

interface Waiting {
  readonly max: number
  /** Tells it whether it now has the place of one that left. */
  decide(entered: boolean): void
}

const waitIn = ({ waiting }: Places, max: number, waitMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    const self: Waiting = {
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
