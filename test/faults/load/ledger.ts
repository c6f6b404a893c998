import { checkHistory, type RuleName } from '../checker/check.ts'
import type { RecordedDelivery } from '../history/entries.ts'
import { startHistory, type Recorder } from '../history/recorder.ts'
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
  /** The number of repeated requests for the same event and endpoint, without those after a 500. */
  readonly duplicated: number
  /** Unexpected deliveries: of unknown events, or a second delivery of an event to one endpoint. */
  readonly strange: readonly string[]
}

/** Records accepted, received and acknowledged events, and compares them. */
export interface Ledger {
  /** The API accepted events with a 202. */
  accept(events: readonly PublishedEvent[]): void
  /** The accepted events, in the order of their 202. */
  readonly accepted: readonly PublishedEvent[]
  /** The number of accepted events that no receiver has acknowledged. */
  backlog(): number
  /** Whether a receiver acknowledged an event. */
  isAcknowledged(eventId: string): boolean
  /** A receiver got a complete delivery. */
  arrived(delivery: ReceivedDelivery): ReceivedRequest
  /**
   * Compares.
   *
   * @param options - `onlyRecorded`: deliveries without a record do not count, because PostgreSQL lost them.
   */
  reconcile(endpoints: readonly Endpoint[], options?: { onlyRecorded?: boolean }): Account
  /** Where the records of the service are added at the end. */
  readonly history: Recorder
  /** What the records say other than the receivers. */
  contradictions(): string[]
}

/** What becomes of a request at a receiver. */
export interface ReceivedRequest {
  /** The receiver responds 204. */
  acknowledge(): void
  /** The receiver responds 500. */
  refuse(): void
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
  const arrivals: Arrival[] = []
  const acknowledgedEvents = new Set<string>()
  return {
    accept: (events) => void accepted.push(...events),
    accepted,
    backlog: () => accepted.length - acknowledgedEvents.size,
    isAcknowledged: (eventId) => acknowledgedEvents.has(eventId),
    arrived({ eventId, endpointUrl, deliveryId }) {
      const own: Arrival = { key: keyOf(eventId, endpointUrl), deliveryId, status: undefined }
      arrivals.push(own)
      const arrival = { delivery: deliveryId, event: eventId, endpoint: endpointUrl, secrets: [] }
      const call = history.invoke('receiver', 'deliver', arrival)
      return {
        acknowledge() {
          own.status = 204
          acknowledgedEvents.add(eventId)
          call.ok({ status: 204 })
        },
        refuse() {
          own.status = 500
          call.ok({ status: 500 })
        },
        abort: () => call.info(),
      }
    },
    history,
    contradictions: () =>
      checkHistory(history.entries)
        .filter(({ rule }) => rulesOfRecords.has(rule))
        .map(({ message }) => message),
    reconcile(endpoints, { onlyRecorded = false } = {}) {
      const recorded = new Set(recordedIds(history))
      const counted = arrivals.filter(
        ({ deliveryId, status }) => status !== 500 && (!onlyRecorded || recorded.has(deliveryId)),
      )
      return compare(accepted, endpoints, counted)
    },
  }
}

const keyOf = (eventId: string, endpointUrl: string): string => `${eventId} to ${endpointUrl}`

/** @param counted - the requests at receivers that count. */
function compare(
  accepted: readonly PublishedEvent[],
  endpoints: readonly Endpoint[],
  counted: readonly Arrival[],
): Account {
  const acknowledged = new Set(counted.flatMap(({ key, status }) => (status === 204 ? key : [])))
  const expected = new Set(
    accepted.flatMap((event) =>
      endpointsOf(event, endpoints).map(({ url }) => keyOf(event.id, url)),
    ),
  )
  const byKey = Map.groupBy(counted, ({ key }) => key)
  const strange = [...byKey]
    .map(([key, all]) => ({ key, ids: new Set(all.map(({ deliveryId }) => deliveryId)) }))
    .filter(({ key, ids }) => !expected.has(key) || ids.size > 1)
  return {
    published: accepted.length,
    expected: expected.size,
    lost: [...expected].filter((key) => !acknowledged.has(key)),
    duplicated: counted.length - byKey.size,
    strange: strange.map(({ key, ids }) => `${key}: ${[...ids].join(', ')}`),
  }
}

/** A request at a receiver. */
interface Arrival {
  readonly key: string
  readonly deliveryId: string
  status: 204 | 500 | undefined
}

const recordedIds = ({ entries }: Recorder): string[] =>
  entries
    .filter(({ name, type }) => name === 'read delivery' && type === 'ok')
    .map(({ value }) => (value as RecordedDelivery).delivery)
