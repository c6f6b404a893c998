import { median } from './figures.ts'
import type { Pipeline } from './pipelines.ts'
import type { BenchProcess } from './processes.ts'
import { publishAll, publishSteadily } from './publisher.ts'

/** A round as fast as it goes. */
export interface Sustained {
  readonly publishedPerSecond: number
  readonly deliveredPerSecond: number
  /** Processor microseconds a delivery, by process. */
  readonly cpuUs: Readonly<Record<string, number>>
}

/**
 * Publishes so many events as fast as they are taken; ends when the last is recorded.
 *
 * @param aheadMax - how many may be on their way at a time; without it all of them.
 */
export async function sustain(
  { publish, tenantIds, drained, cpu }: Pipeline,
  receiver: BenchProcess,
  events: number,
  aheadMax?: number,
): Promise<Sustained> {
  const received = async (): Promise<number> =>
    Number(await (await fetch(`${receiver.url}/count`)).text())
  await reset(receiver)
  const before = await cpu()
  const startedAt = performance.now()
  await publishAll(publish, tenantIds, {
    amount: events,
    ...(aheadMax !== undefined && { aheadMax, received }),
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

/** How long events take from publisher to receiver, at a steady rate. */
export async function keepUp(
  { publish, tenantIds, drained }: Pipeline,
  receiver: BenchProcess,
  pace: { perSecond: number; seconds: number },
) {
  // A burst just before is no longer said to be a backlog.
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  await reset(receiver)
  const amount = await publishSteadily(publish, tenantIds, pace)
  const { p50Ms, p95Ms, p99Ms } = await untilDrained(drained, receiver, amount)
  return { p50_ms: p50Ms, p95_ms: p95Ms, p99_ms: p99Ms }
}

/** The medians of the rounds. */
export const summarize = (rounds: readonly Sustained[]) => ({
  published_per_second: Math.round(median(rounds.map((round) => round.publishedPerSecond))),
  delivered_per_second: Math.round(median(rounds.map((round) => round.deliveredPerSecond))),
  cpu_us_per_delivery: Object.fromEntries(
    Object.keys(rounds[0]!.cpuUs).map((name) => [
      name,
      Math.round(median(rounds.map(({ cpuUs }) => cpuUs[name]!))),
    ]),
  ),
})

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

/** What the receiver measured since it was reset. */
const figuresOf = async (receiver: BenchProcess): Promise<Received> =>
  (await (await fetch(`${receiver.url}/figures`)).json()) as Received
