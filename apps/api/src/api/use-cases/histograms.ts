import { currentTimeMs, dayMs } from '@hosting/core/clock'
import { validationFailed } from '@hosting/core/problems'
import { histogramBucketsDefault } from '@hosting/core/webhooks'
import {
  countDeliveriesOverTime,
  type DeliveryFilter,
  type DeliveryHistogram,
} from '@hosting/postgres/deliveries'
import {
  countEventsOverTime,
  type EventHistogram,
  type EventLogFilter,
} from '@hosting/postgres/webhooks'
import type { Needs } from '../services.ts'

/** How long counting may take, in ms, before it stops with what it has counted. */
const countMsMax = 4_000

/** The time span of a histogram, and the number of its buckets, as a request names them. */
export interface HistogramQuery {
  readonly since?: string
  readonly until?: string
  readonly buckets?: number
}

/** Counts deliveries over time. @throws Problem `validation_failed` */
export async function readDeliveryHistogram(
  { database }: Needs<'database'>,
  filter: Omit<DeliveryFilter, 'sinceMs' | 'untilMs'>,
  query: HistogramQuery,
) {
  const { startsMs, ...span } = toSpans(query)
  const limits = { startsMs, msMax: countMsMax }
  const counted = await countDeliveriesOverTime(database, { ...filter, ...span }, limits)
  return {
    items: counted.buckets.map((bucket, index) => ({
      start: new Date(startsMs[index]!),
      ...bucket,
    })),
    complete: counted.isComplete,
  }
}

/** How long a page of the panel may count, in ms: it is updated every few seconds. */
const shownMsMax = 300

/** Counts deliveries over the bars of a page. */
export const countShownDeliveries = (
  { database }: Needs<'database'>,
  filter: DeliveryFilter,
  startsMs: readonly number[],
): Promise<DeliveryHistogram> =>
  countDeliveriesOverTime(database, filter, { startsMs, msMax: shownMsMax })

/** Counts events over the bars of a page. */
export const countShownEvents = (
  { database }: Needs<'database'>,
  filter: EventLogFilter & { readonly sinceMs: number; readonly untilMs: number },
  startsMs: readonly number[],
): Promise<EventHistogram> => countEventsOverTime(database, filter, { startsMs, msMax: shownMsMax })

/** Counts events over time. @throws Problem `validation_failed` */
export async function readEventHistogram(
  { database }: Needs<'database'>,
  filter: EventLogFilter,
  query: HistogramQuery,
) {
  const { startsMs, ...span } = toSpans(query)
  const limits = { startsMs, msMax: countMsMax }
  const counted = await countEventsOverTime(database, { ...filter, ...span }, limits)
  return {
    items: counted.events.map((events, index) => ({ start: new Date(startsMs[index]!), events })),
    complete: counted.isComplete,
  }
}

/** Divides a time span into buckets that differ by at most a millisecond. */
function toSpans({ since, until, buckets = histogramBucketsDefault }: HistogramQuery) {
  const untilMs = until === undefined ? currentTimeMs() : Date.parse(until)
  const sinceMs = since === undefined ? untilMs - dayMs : Date.parse(since)
  const spanMs = untilMs - sinceMs
  if (spanMs <= 0) {
    throw validationFailed(
      until === undefined
        ? { pointer: '/since', message: 'must be in the past' }
        : { pointer: '/until', message: 'must be later than since' },
    )
  }
  if (spanMs < buckets) {
    const message = 'must be at most the number of milliseconds from since to until'
    throw validationFailed({ pointer: '/buckets', message })
  }
  const startsMs = Array.from(
    { length: buckets },
    (_, index) => sinceMs + Math.ceil((index * spanMs) / buckets),
  )
  return { sinceMs, untilMs, startsMs }
}
