import { checkHistory, type RuleName } from '../../faults/checker/check.ts'
import { startHistory, type Recorder } from '../../faults/history/recorder.ts'
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
  arrived(delivery: ReceivedDelivery): ReceivedRequest
  reconcile(endpoints: readonly Endpoint[]): Account
  /** Where the records of the service are added at the end. */
  readonly history: Recorder
  /** What the records say other than the receivers. */
  contradictions(): string[]
}

/** What becomes of a request at a receiver. */
export interface ReceivedRequest {
  /** The receiver responds 204. */
  acknowledge(): void
  /** The connection is closed. */
  abort(): void
}

/** The rules about records. The others concern what this suite does not do. */
const rulesOfRecords: ReadonlySet<RuleName> = new Set([
  'every delivery ends',
  'the records agree with the receivers',
])

/**
 * Creates the ledger of one run.
 *
 * @param facts - the service's settings, which decide how requests and recorded attempts correspond.
 */
export function openLedger(facts: {
  readonly retryDelaysMs: readonly number[]
  readonly timeoutMs: number
}): Ledger {
  const history = startHistory()
  history.invoke('run', 'run', { ...facts, leaseMs: Infinity, endpoints: [], keys: [] }).ok({})
  const accepted: PublishedEvent[] = []
  const deliveryIds = new Map<string, string[]>()
  const acknowledged = new Set<string>()
  return {
    accepted: (events) => void accepted.push(...events),
    arrived({ eventId, endpointUrl, deliveryId }) {
      const key = keyOf(eventId, endpointUrl)
      deliveryIds.set(key, [...(deliveryIds.get(key) ?? []), deliveryId])
      const arrival = { delivery: deliveryId, event: eventId, endpoint: endpointUrl, secrets: [] }
      const call = history.invoke('receiver', 'deliver', arrival)
      return {
        acknowledge() {
          acknowledged.add(key)
          call.ok({ status: 204 })
        },
        abort: () => call.info(),
      }
    },
    history,
    contradictions: () =>
      checkHistory(history.entries)
        .filter(({ rule }) => rulesOfRecords.has(rule))
        .map(({ message }) => message),
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
