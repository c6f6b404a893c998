import {
  about,
  possible,
  seconds,
  succeeded,
  type ArrivalCall,
  type HistoryView,
  type Rule,
} from './history-view.ts'
import { matchAttempts } from './match-attempts.ts'

/** How late a request may reach a receiver after its claim, in ms, while nothing is disturbed. */
const underWayMs = 2_000
/** Tolerance for times that different clocks measured, in ms. */
const clockMs = 500

/** At most one attempt of a delivery is made at a time. */
export const oneAtATime: Rule = (history) => {
  const { leaseMs, timeoutMs } = history.run
  return [...history.records.values()].flatMap(({ delivery, attempts }) => {
    const arrivals = history.arrivalsOf(delivery)
    const unrecorded = new Set(matchAttempts(attempts, arrivals, timeoutMs).unrecorded)
    return arrivals.slice(1).flatMap((arrival, index) => {
      const before = arrivals[index]!
      // A request without a response may be repeated over a new connection.
      if (!unrecorded.has(before) || before.type === 'fail') return []
      const gapMs = arrival.from - before.from
      const span = { from: before.from - leaseMs, to: arrival.from }
      // An attempt that has no time left for its response does not start.
      if (gapMs >= (history.isOverloaded(span) ? timeoutMs : leaseMs - underWayMs)) return []
      if (isLateStart(history, before) || isLostInCrash(history, before)) return []
      return [
        `${delivery}: requests at ${seconds(before.from)} and ${seconds(arrival.from)}, but the lease of the first lasts ${seconds(leaseMs)}`,
      ]
    })
  })
}

/**
 * Whether an attempt may have been claimed long before its request arrived, because its worker stopped in between, or
 * its lease may have been lost, because PostgreSQL was killed before the lease was on the disk.
 */
const isLateStart = (history: HistoryView, { from }: ArrivalCall): boolean =>
  history.isDisturbed({ from: from - 2 * history.run.leaseMs, to: from }, ['worker', 'postgres'], {
    kinds: ['stop worker', 'kill postgres'],
  })

/** How long a commit may not be on the disk that did not wait for it, in ms: three times wal_writer_delay, rounded up. */
const unflushedMs = 1_000

/** Whether the lease or the record of an attempt may have been lost, because neither waits for the disk. */
const isLostInCrash = (history: HistoryView, { from, to }: ArrivalCall): boolean =>
  history.isDisturbed({ from, to: to + unflushedMs }, ['postgres'], { kinds: ['kill postgres'] })

/** A retry is never early, and late by a tenth at most unless something delays it. */
export const retriesInTime: Rule = (history) =>
  [...history.records.values()].flatMap((record) => {
    const { timeoutMs, retryDelaysMs } = history.run
    const { pairs } = matchAttempts(record.attempts, history.arrivalsOf(record.delivery), timeoutMs)
    return pairs.slice(1).flatMap(({ attempt, arrival }, index) => {
      const before = pairs[index]!
      if (attempt.number !== before.attempt.number + 1 || before.arrival.type !== 'ok') return []
      const delayMs = retryDelaysMs[before.attempt.number - 1]!
      const waitedMs = arrival.from - before.arrival.to
      const at = `${record.delivery}: attempt ${attempt.number} at ${seconds(arrival.from)} followed after ${seconds(waitedMs)} instead of ${seconds(delayMs)}`
      if (waitedMs < delayMs - timerMs) return [`${at}: early`]
      if (waitedMs <= delayMs * 1.1 + lateMs || mayWait(history, arrival, before.arrival)) return []
      return [`${at}: late`]
    })
  })

/** The resolution of timers and of the recorded times, in ms. */
const timerMs = 5
/** What a busy machine needs to start a retry that is due, in ms. */
const lateMs = 6_000

/** Whether something delays the retries of an endpoint: a fault, a pause, a throttle, a backlog or the machine. */
function mayWait(history: HistoryView, { from, value }: ArrivalCall, before: ArrivalCall): boolean {
  const { endpoint } = value
  const span = { from: before.to - settleMs, to: from }
  const targets = ['worker', 'api', 'postgres', 'redis', 'receiver'] as const
  if (history.isBusy(span) || history.isDisturbed(span, targets, { endpoint })) return true
  const changes = [
    ...about(history.of('disable'), endpoint),
    ...about(history.of('enable'), endpoint),
    ...about(history.of('throttle'), endpoint),
    ...about(history.of('recover'), endpoint),
  ].filter((change) => change.from <= from)
  if (changes.some(({ to }) => to >= span.from)) return true
  return isPaused(history, endpoint, from) || isThrottled(history, endpoint, from)
}

/** Whether an endpoint may be disabled at a time. */
function isPaused(history: HistoryView, endpoint: string, at: number): boolean {
  const lastOf = (name: 'disable' | 'enable'): number =>
    about(history.of(name), endpoint).findLast(({ from }) => from <= at)?.from ?? -1
  return lastOf('disable') > lastOf('enable')
}

/** Whether an endpoint may be throttled at a time. */
const isThrottled = (history: HistoryView, endpoint: string, at: number): boolean =>
  (about(history.of('throttle'), endpoint).findLast(({ from }) => from <= at)?.value.perSecond ??
    null) !== null

/** How long a backlog of an outage is worked off, in ms. */
const settleMs = 20_000

/** No attempt starts after a recorded success, a deletion, or a disabling and one lease. */
export const nothingAfterTheEnd: Rule = (history) => [
  ...[...history.records.values()].flatMap(({ delivery, outcome, completedAt }) => {
    if (outcome !== 'succeeded' || completedAt === null) return []
    return history
      .arrivalsOf(delivery)
      .filter((arrival) => arrival.from > completedAt + clockMs && !isLateStart(history, arrival))
      .map(
        ({ from }) =>
          `${delivery}: a request at ${seconds(from)} follows its success at ${seconds(completedAt)}`,
      )
  }),
  ...history.run.endpoints.flatMap(({ id }) =>
    closedSpans(history, id).flatMap((span) =>
      about(history.of('deliver'), id)
        .filter((arrival) => arrival.from > span.from && arrival.from < span.to)
        .filter((arrival) => !isLateStart(history, arrival))
        .map(
          ({ from, value }) =>
            `${value.delivery}: a request at ${seconds(from)} although its endpoint was ${span.why}`,
        ),
    ),
  ),
]

/** The times in which an endpoint certainly gets no attempts. */
function closedSpans(history: HistoryView, id: string) {
  const { leaseMs } = history.run
  const enabling = possible(about(history.of('enable'), id))
  const disabled = succeeded(about(history.of('disable'), id)).map((disabling) => ({
    from: disabling.to + leaseMs,
    to: enabling.find((call) => call.to > disabling.from)?.from ?? Infinity,
    why: 'disabled',
  }))
  const deleted = succeeded(about(history.of('delete'), id)).map(({ to }) => ({
    from: to + underWayMs,
    to: Infinity,
    why: 'deleted',
  }))
  return [...disabled, ...deleted]
}

/** No span of t seconds holds the start of more than N × (t + 1) attempts of a throttled endpoint. */
export const throttled: Rule = (history) =>
  history.run.endpoints.flatMap(({ id }) => {
    const starts = startsOf(history, id)
    return throttledSpans(history, id).flatMap(({ from, to, perSecond }) => {
      const within = starts.filter((start) => start >= from && start <= to)
      return findExcess(within, perSecond, id)
    })
  })

/** The recorded starts, which the throttle spaces. A request may reach the receiver a little later. */
const startsOf = (history: HistoryView, id: string): number[] =>
  [...history.records.values()]
    .filter(({ endpoint }) => endpoint === id)
    .flatMap(({ attempts }) => attempts.map(({ startedAt }) => startedAt))
    .toSorted((one, other) => one - other)

function findExcess(starts: readonly number[], perSecond: number, id: string): string[] {
  for (const [first, from] of starts.entries()) {
    for (let last = first + 1; last < starts.length; last++) {
      const spanMs = starts[last]! - from + clockMs
      const count = last - first + 1
      if (count > perSecond * (spanMs / 1_000 + 1)) {
        return [
          `${count} attempts to ${id} started within ${seconds(spanMs)}, the throttle is ${perSecond} per second`,
        ]
      }
    }
  }
  return []
}

/** The times in which a throttle certainly applies to all attempts that start. */
function throttledSpans(history: HistoryView, id: string) {
  const changes = possible(about(history.of('throttle'), id))
  return changes.flatMap(({ type, to, value }, index) => {
    if (type !== 'ok' || value.perSecond === null) return []
    const next = changes[index + 1]?.from ?? Infinity
    return [{ from: to + underWayMs, to: next, perSecond: value.perSecond }]
  })
}
