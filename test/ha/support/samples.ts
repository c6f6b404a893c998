import { setTimeout } from 'node:timers/promises'
import type { System } from './system.ts'

/** The metrics of a process at a time, by series. */
interface Sample {
  /** Seconds since the first sample. */
  readonly at: number
  readonly values: ReadonlyMap<string, number>
}

/** What processes show while a server fails. */
export interface Samples {
  /** Notes that something happens now. */
  mark(what: string): void
  /** What happened, in seconds since the start. */
  readonly marks: readonly { readonly what: string; readonly at: number }[]
  /** Seconds since the start. */
  now(): number
  /** The sum over all processes of what a metric's counters gained in the second before a time. */
  rate(metric: SeriesOf, at: number): number
  /** The values of a gauge in all processes that have it, at a time. */
  gauge(metric: SeriesOf, at: number): number[]
  stop(): Promise<void>
}

/** Whether a series such as `name{label="value"}` belongs to a metric. */
export type SeriesOf = (series: string) => boolean

const everyMs = 1_000

/** Reads `/metrics` of all processes each second. A process that responds late is read again as soon as it has. */
export function startSamples({ apis, workers }: System): Samples {
  const startedMs = performance.now()
  const now = (): number => (performance.now() - startedMs) / 1_000
  const marks: { what: string; at: number }[] = []
  const stopping = new AbortController()
  const samples = [...apis, ...workers].map(({ internalPort }) => ({
    url: `http://127.0.0.1:${internalPort}/metrics`,
    taken: [] as Sample[],
  }))

  async function sample({ url, taken }: (typeof samples)[number]): Promise<void> {
    while (!stopping.signal.aborted) {
      const pause = setTimeout(everyMs)
      const text = await fetch(url)
        .then((response) => response.text())
        .catch(() => undefined)
      if (text !== undefined) taken.push({ at: now(), values: parse(text) })
      await pause
    }
  }

  const running = Promise.all(samples.map(sample))
  return {
    marks,
    now,
    mark: (what) => void marks.push({ what, at: now() }),
    rate: (metric, at) =>
      samples.reduce(
        (sum, { taken }) => sum + countAt(taken, metric, at) - countAt(taken, metric, at - 1),
        0,
      ),
    gauge: (metric, at) =>
      samples.flatMap(({ taken }) => {
        const last = taken.findLast((each) => each.at <= at)
        const values = last ? valuesOf(last, metric) : []
        return values.length > 0 ? [total(values)] : []
      }),
    async stop() {
      stopping.abort()
      await running
    },
  }
}

const parse = (text: string): Map<string, number> =>
  new Map(
    text
      .split('\n')
      .filter((line) => line.startsWith('hosting_'))
      .map((line) => {
        const space = line.lastIndexOf(' ')
        return [line.slice(0, space), Number(line.slice(space + 1))]
      }),
  )

const valuesOf = ({ values }: Sample, metric: SeriesOf): number[] =>
  [...values].flatMap(([series, value]) => (metric(series) ? [value] : []))

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

/** The sum of counters at a time between two samples, if they grow evenly between them. */
function countAt(taken: readonly Sample[], metric: SeriesOf, at: number): number {
  const next = taken.find((each) => each.at >= at) ?? taken.at(-1)
  const last = taken.findLast((each) => each.at <= at) ?? taken[0]
  if (!next || !last) return 0
  const [from, to] = [total(valuesOf(last, metric)), total(valuesOf(next, metric))]
  return next.at === last.at ? to : from + ((to - from) * (at - last.at)) / (next.at - last.at)
}
