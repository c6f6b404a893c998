import { endpointsOf, type Endpoint, type PublishedEvent } from './endpoint.ts'

/** A delivery as its receiver knows it. */
export interface ReceivedDelivery {
  readonly eventId: string
  readonly endpointUrl: string
  readonly deliveryId: string
}

/** What became of the events of a run. */
export interface Account {
  readonly published: number
  readonly expected: number
  /** Events, with endpoints, that no receiver has acknowledged. */
  readonly lost: readonly string[]
  /** Requests beyond the first for the same event and endpoint. */
  readonly duplicated: number
  /** Deliveries that nothing accounts for, or that an event has two of to one endpoint. */
  readonly strange: readonly string[]
}

/** Keeps what was accepted, what arrived and what was acknowledged, and compares them. */
export interface Ledger {
  /** Events were answered with 202. */
  accepted(events: readonly PublishedEvent[]): void
  /** A receiver got a delivery, whole. */
  arrived(delivery: ReceivedDelivery): void
  /** It answered 204. */
  acknowledged(delivery: ReceivedDelivery): void
  reconcile(endpoints: readonly Endpoint[]): Account
}

/** Opens the books of one run. */
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
