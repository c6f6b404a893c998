import { ofRounds, single } from './figures.ts'
import type { Pipeline } from './pipelines.ts'
import type { BenchProcess } from './processes.ts'
import { publishAll, publishSteadily, type PublishExtent } from './publisher.ts'
import type { FigureOfRounds, SingleFigure } from './results.ts'

/** A round at maximum speed. */
export interface Sustained {
  readonly publishedPerSecond: number
  readonly deliveredPerSecond: number
  /** CPU microseconds per delivery, by process. */
  readonly cpuUs: Readonly<Record<string, number>>
}

/**
 * Publishes `amount` events as fast as they are accepted; ends when the last one is recorded.
 *
 * @param extent - `aheadMax`: the maximum number of events in transit; by default all of them.
 */
export async function sustain(
  { publish, tenantIds, drained, cpu }: Pipeline,
  receiver: BenchProcess,
  extent: Omit<PublishExtent, 'received'>,
): Promise<Sustained> {
  const { amount: events, aheadMax } = extent
  const received = async (): Promise<number> =>
    Number(await (await fetch(`${receiver.url}/count`)).text())
  await reset(receiver)
  const before = await cpu()
  const startedAt = performance.now()
  await publishAll(publish, tenantIds, {
    ...extent,
    ...(aheadMax !== undefined && { received }),
  })
  const publishedAt = performance.now()
  await untilDrained(drained, receiver, events)
  const drainedAt = performance.now()
  const after = await cpu()
  return {
    publishedPerSecond: events / ((publishedAt - startedAt) / 1_000),
    deliveredPerSecond: events / ((drainedAt - startedAt) / 1_000),
    cpuUs: Object.fromEntries(
      Object.entries(after).map(([name, used]) => [
        name,
        Math.round(((used - before[name]!) * 1e6) / events),
      ]),
    ),
  }
}

/** The latency of events from publisher to receiver, at a steady rate. */
export async function keepUp(
  { publish, tenantIds, drained }: Pipeline,
  receiver: BenchProcess,
  pace: { perSecond: number; seconds: number },
): Promise<Latency> {
  // A preceding burst no longer counts as a backlog.
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  await reset(receiver)
  const amount = await publishSteadily(publish, tenantIds, pace)
  const { p50Ms, p95Ms, p99Ms } = await untilDrained(drained, receiver, amount)
  return { p50: p50Ms, p95: p95Ms, p99: p99Ms }
}

/** The latency of the events at a steady rate, in milliseconds. */
export type Latency = Readonly<Record<'p50' | 'p95' | 'p99', number>>

/** The figures of one run at a steady rate. */
export const toLatencyFigures = ({
  p50,
  p95,
  p99,
}: Latency): Readonly<Record<keyof Latency, SingleFigure>> => ({
  p50: single('ms', p50),
  p95: single('ms', p95),
  p99: single('ms', p99),
})

/** The figures of the rounds at a steady rate. */
export const summarizeLatency = (
  rounds: readonly Latency[],
): Readonly<Record<keyof Latency, FigureOfRounds>> => {
  const figure = (name: keyof Latency): FigureOfRounds =>
    ofRounds(
      'ms',
      rounds.map((round) => round[name]),
    )
  return { p50: figure('p50'), p95: figure('p95'), p99: figure('p99') }
}

/** The figures of the rounds. */
export const summarize = (
  rounds: readonly Sustained[],
): Readonly<Record<string, FigureOfRounds>> => ({
  published: ofRounds('/s', speedsOf(rounds, 'publishedPerSecond')),
  delivered: ofRounds('/s', speedsOf(rounds, 'deliveredPerSecond')),
  ...Object.fromEntries(
    Object.keys(rounds[0]!.cpuUs).map((name) => [
      `cpu_${name}`,
      ofRounds(
        'µs',
        rounds.map(({ cpuUs }) => cpuUs[name]!),
      ),
    ]),
  ),
})

/** The speed of each round. */
export const speedsOf = (
  rounds: readonly Sustained[],
  name: 'publishedPerSecond' | 'deliveredPerSecond',
): number[] => rounds.map((round) => round[name])

interface Received {
  readonly received: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
}

async function untilDrained(
  drained: () => Promise<boolean>,
  receiver: BenchProcess,
  amount: number,
): Promise<Received> {
  while (!(await drained())) await new Promise((resolve) => setTimeout(resolve, 20))
  const figures = await figuresOf(receiver)
  if (figures.received < amount) throw new Error(`Only ${figures.received} of ${amount} arrived.`)
  return figures
}

const reset = (receiver: BenchProcess): Promise<unknown> =>
  fetch(`${receiver.url}/reset`, { method: 'POST' })

/** The receiver's measurements since its reset. */
const figuresOf = async (receiver: BenchProcess): Promise<Received> =>
  (await (await fetch(`${receiver.url}/figures`)).json()) as Received
