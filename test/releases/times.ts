import type { ReceivedRequest, Reply } from '../support/receiver.ts'

/** What the deliveries of a run arrived with. Times are in ms. */
export interface Times {
  /** Deliveries that a receiver acknowledged. */
  readonly acknowledged: number
  /** Deliveries with a request after the acknowledged one. */
  readonly repeated: readonly string[]
  /** Deliveries whose retry came before its delay was over. */
  readonly early: readonly string[]
  /** The longest time from the acceptance of an event to the first request of one of its deliveries. */
  readonly latestMs: number
  /** The longest time from a failed request to its retry. */
  readonly latestRetryMs: number
}

/**
 * Records when events were accepted and when their deliveries arrived.
 *
 * @param options - `endpointCount`: the number of deliveries of each event. `failEvery`: one delivery in this number
 *   fails once.
 */
export function openTimes({
  endpointCount,
  failEvery,
}: {
  endpointCount: number
  failEvery: number
}) {
  const acceptedAt = new Map<string, number>()
  const requests = new Map<string, { eventId: string; at: number[]; fails: boolean }>()
  const arrivals = new Map<string, { count: number; all: PromiseWithResolvers<void> }>()

  function arrivalsOf(eventId: string) {
    const known = arrivals.get(eventId) ?? { count: 0, all: Promise.withResolvers<void>() }
    arrivals.set(eventId, known)
    return known
  }

  function noteArrival(eventId: string): void {
    const of = arrivalsOf(eventId)
    of.count += 1
    if (of.count === endpointCount) of.all.resolve()
  }

  const respond = ({ headers, body }: ReceivedRequest): Reply => {
    const id = headers['service-delivery'] as string
    const { id: eventId } = JSON.parse(body.toString()) as { id: string }
    const known = requests.get(id)
    if (!known) noteArrival(eventId)
    const delivery = known ?? { eventId, at: [], fails: requests.size % failEvery === 0 }
    requests.set(id, delivery)
    delivery.at.push(performance.now())
    return { status: delivery.fails && delivery.at.length === 1 ? 500 : 204 }
  }

  const read = (retryDelayMs: number): Times => {
    const all = [...requests.entries()]
    const retries = all.filter(([, { fails }]) => fails)
    const retryMs = ([, { at }]: (typeof all)[number]): number => (at[1] ?? Infinity) - at[0]!
    return {
      acknowledged: all.filter(([, { at, fails }]) => at.length > Number(fails)).length,
      repeated: all.filter(([, { at, fails }]) => at.length > 1 + Number(fails)).map(([id]) => id),
      early: retries.filter((retry) => retryMs(retry) < retryDelayMs).map(([id]) => id),
      latestMs: Math.max(...all.map(([, { eventId, at }]) => at[0]! - acceptedAt.get(eventId)!)),
      latestRetryMs: Math.max(...retries.map(retryMs)),
    }
  }

  return {
    accepted: (eventId: string): void => void acceptedAt.set(eventId, performance.now()),
    /** Waits for the first request of each delivery of an event. */
    arrived: (eventId: string): Promise<void> => arrivalsOf(eventId).all.promise,
    respond,
    read,
  }
}
