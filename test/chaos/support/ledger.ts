import { endpointsOf, type Endpoint, type PublishedEvent } from './endpoint.ts'

/** The data of a delivery that its receiver knows. */
export interface ReceivedDelivery {
  readonly eventId: string
  readonly endpointUrl: string
  readonly deliveryId: string
}

/** The results of a run. */
export interface Account {
  readonly published: number
  readonly expected: number
  /** Events and endpoints without an acknowledgment by the receiver. */
  readonly lost: readonly string[]
  /** The number of repeated requests for the same event and endpoint. */
  readonly duplicated: number
  /** Unexpected deliveries: of unknown events, or a second delivery of an event to one endpoint. */
  readonly strange: readonly string[]
}

/** Records accepted, received and acknowledged events, and compares them. */
export interface Ledger {
  /** The API accepted events with a 202. */
  accepted(events: readonly PublishedEvent[]): void
  /** A receiver got a complete delivery. */
  arrived(delivery: ReceivedDelivery): void
  /** The receiver responded 204. */
  acknowledged(delivery: ReceivedDelivery): void
  reconcile(endpoints: readonly Endpoint[]): Account
}

/** Creates the ledger of one run. */
export function openLedger(): Ledger {
  const accepted: PublishedEvent[] = []
  const deliveryIds = new Map<string, string[]>()
  const acknowledged = new Set<string>()
  return {
    accepted: (events) => void accepted.push(...events),
    arrived({ eventId, endpointUrl, deliveryId }) {
      const key = keyOf(eventId, endpointUrl)
      deliveryIds.set(key, [...(deliveryIds.get(key) ?? []), deliveryId])
    },
    acknowledged: ({ eventId, endpointUrl }) => void acknowledged.add(keyOf(eventId, endpointUrl)),
    reconcile(endpoints) {
      const expected = new Set(
        accepted.flatMap((event) =>
          endpointsOf(event, endpoints).map(({ url }) => keyOf(event.id, url)),
        ),
      )
      const isStrange = ([key, ids]: [string, string[]]) =>
        !expected.has(key) || new Set(ids).size > 1
      return {
        published: accepted.length,
        expected: expected.size,
        lost: [...expected].filter((key) => !acknowledged.has(key)),
        duplicated: [...deliveryIds.values()].reduce((sum, { length }) => sum + length - 1, 0),
        strange: [...deliveryIds]
          .filter(isStrange)
          .map(([key, ids]) => `${key}: ${ids.join(', ')}`),
      }
    },
  }
}

const keyOf = (eventId: string, endpointUrl: string): string => `${eventId} to ${endpointUrl}`
