import { toCalls, type Call, type Calls } from '../history/calls.ts'
import type {
  DeclaredFault,
  Endpoint,
  Entry,
  FaultTarget,
  RecordedDelivery,
  RunFacts,
} from '../history/entries.ts'
import type { FaultKind } from '../schedule/fault-kinds.ts'

/** A request at a receiver. */
export type ArrivalCall = Call<'deliver'>

/** A span of time on the clock of the history. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** A history, arranged for the rules. */
export interface HistoryView extends Pick<Calls, 'of' | 'end'> {
  readonly run: RunFacts
  readonly endpoints: ReadonlyMap<string, Endpoint>
  readonly records: ReadonlyMap<string, RecordedDelivery>
  /** The requests of each delivery, in order. */
  arrivalsOf(delivery: string): readonly ArrivalCall[]
  /** Whether a declared fault of one of the targets overlaps the span, or the machine stalled in it. */
  isDisturbed(span: Span, targets: readonly FaultTarget[], scope?: FaultScope): boolean
  /** Whether the machine was late for a notable part of the span. */
  isBusy(span: Span): boolean
  /** Whether so many processes waited for a core that no time limit could be kept. */
  isOverloaded(span: Span): boolean
}

/** Restricts faults further. */
export interface FaultScope {
  /** Of receivers, only that of this endpoint. */
  readonly endpoint?: string
  /** Only these kinds. All, if it is undefined. */
  readonly kinds?: readonly FaultKind[]
}

/** A rule of the service. Returns what contradicts it in the history. */
export type Rule = (history: HistoryView) => readonly string[]

/** While the machine is later than this, in ms, times prove nothing. */
const stallMs = 1_000
/** With a higher load, processes wait for a core. */
const perCoreMax = 1.5
/** With this load, a process gets a core for less than a fifth of the time. CI stays below. */
const overloadPerCore = 5
/** The share of a span in which a busy machine is late. */
const busyShare = 0.02
/** The effects of a fault last this much longer than the fault, in ms: reconnects, timeouts, overdue work. */
const aftermathMs = 3_000

/** Arranges a history. @throws Error if it does not start with `run`. */
export function viewHistory(entries: readonly Entry[]): HistoryView {
  const calls = toCalls(entries)
  const run = calls.of('run')[0]?.value
  if (!run) throw new Error('The history does not contain the facts of the run.')
  const arrivals = Map.groupBy(calls.of('deliver'), ({ value }) => value.delivery)
  const records = calls.of('read delivery').flatMap(({ result }) => result ?? [])
  const faults = calls.of('fault').map(toDisturbance)
  const lateness = calls.of('stall').map(({ from, value }) => ({ from: from - value.ms, to: from }))
  const loadsAbove = (perCore: number) =>
    calls.of('load').filter(({ value }) => value.perCore > perCore)
  const [loads, overloads] = [loadsAbove(perCoreMax), loadsAbove(overloadPerCore)]
  const stalls = lateness.filter(({ from, to }) => to - from >= stallMs)
  return {
    of: calls.of,
    end: calls.end,
    run,
    endpoints: new Map(run.endpoints.map((endpoint) => [endpoint.id, endpoint])),
    records: new Map(records.map((record) => [record.delivery, record])),
    arrivalsOf: (delivery) => arrivals.get(delivery) ?? [],
    isBusy: (span) => {
      const late = lateness.filter((each) => overlaps(each, span))
      const lateMs = late.reduce((sum, { from, to }) => sum + to - from, 0)
      return lateMs >= busyShare * (span.to - span.from) || loads.some((at) => overlaps(at, span))
    },
    isOverloaded: (span) => overloads.some((at) => overlaps(at, span)),
    isDisturbed: (span, targets, { endpoint, kinds } = {}) =>
      stalls.some((stall) => overlaps(stall, span)) ||
      faults.some(
        (fault) =>
          targets.includes(fault.target) &&
          (kinds?.includes(fault.kind as FaultKind) ?? true) &&
          (fault.endpoint === undefined || fault.endpoint === endpoint) &&
          overlaps(fault, span),
      ),
  }
}

const toDisturbance = ({ from, to, value }: Call<'fault'>): DeclaredFault & Span => ({
  ...value,
  from,
  to: to + aftermathMs,
})

const overlaps = (one: Span, other: Span): boolean => one.from <= other.to && other.from <= one.to

/** The calls that succeeded. */
export const succeeded = <Each extends Call>(calls: readonly Each[]): Each[] =>
  calls.filter(({ type }) => type === 'ok')

/** The calls that took effect or may have. */
export const possible = <Each extends Call>(calls: readonly Each[]): Each[] =>
  calls.filter(({ type }) => type !== 'fail')

/** The calls about an endpoint. */
export const about = <Each extends { readonly value: { readonly endpoint: string } }>(
  calls: readonly Each[],
  endpoint: string,
): Each[] => calls.filter(({ value }) => value.endpoint === endpoint)

/** A time of the history in seconds, for messages. */
export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`
