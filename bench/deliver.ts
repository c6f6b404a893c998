import { ratioOfRounds } from './figures.ts'
import { startBarePipeline, startFullPipeline, type Pipeline } from './pipelines.ts'
import { startNode, type BenchProcess } from './processes.ts'
import type { BenchmarkResult, Table } from './results.ts'
import {
  keepUp,
  speedsOf,
  summarize,
  summarizeLatency,
  sustain,
  type Latency,
  type Sustained,
} from './rounds.ts'
import { useBenchServers } from './servers.ts'

const rounds = 5
const eventsPerRound = 10_000
const tenants = 50
/** The publisher waits while this many events are in transit, so the sustained rate is the rate of delivery. */
const aheadMax = 500
const rates = [100, 300]
const secondsPerRate = 20
const roundsPerRate = 3

/**
 * From the publisher to the receiver: API, worker, PostgreSQL with writes to the disk, Redis and receiver on
 * one machine, every attempt recorded; compared with plain BullMQ and got, in alternating rounds. `burst`: all
 * events at once, so that most wait in PostgreSQL.
 */
export async function deliver(): Promise<BenchmarkResult> {
  const servers = await useBenchServers({ durable: true })
  const receiver = await startNode('bench/receiver.ts', {})
  const full = await startFullPipeline(servers, `${receiver.url}/hook`, { tenants })
  const bare = await startBarePipeline(servers, `${receiver.url}/hook`)

  for (const pipeline of [full, bare]) await sustain(pipeline, receiver, { amount: eventsPerRound })
  const steady = await keepUpInTurns({ bare, full }, receiver)
  const sustained = await inTurns(full, bare, receiver, { aheadMax })
  const burst = await inTurns(full, bare, receiver)
  await Promise.all([full.stop(), bare.stop()])
  await receiver.stop()
  await servers.stop()
  return {
    servers: servers.facts,
    settings: {
      tenants,
      rounds,
      events_per_round: eventsPerRound,
      sustained_ahead_max: aheadMax,
      rounds_per_rate: roundsPerRate,
      seconds_per_rate: secondsPerRate,
    },
    figures: { sustained, burst, steady },
  }
}

/** Both at each rate, in alternating rounds. */
async function keepUpInTurns(
  pipelines: Readonly<Record<'bare' | 'full', Pipeline>>,
  receiver: BenchProcess,
): Promise<Table> {
  const taken: Record<string, Latency[]> = {}
  for (let round = 0; round < roundsPerRate; round++) {
    for (const perSecond of rates) {
      for (const [name, pipeline] of Object.entries(pipelines)) {
        const latency = await keepUp(pipeline, receiver, { perSecond, seconds: secondsPerRate })
        ;(taken[`${name}_at_${perSecond}`] ??= []).push(latency)
      }
    }
  }
  return Object.fromEntries(
    Object.entries(taken).map(([name, latencies]) => [name, summarizeLatency(latencies)]),
  )
}

/** Rounds of both, alternating. */
async function inTurns(
  full: Pipeline,
  bare: Pipeline,
  receiver: BenchProcess,
  ahead: { aheadMax?: number } = {},
): Promise<Table> {
  const taken: { full: Sustained[]; bare: Sustained[] } = { full: [], bare: [] }
  for (let round = 0; round < rounds; round++) {
    taken.bare.push(await sustain(bare, receiver, { amount: eventsPerRound, ...ahead }))
    taken.full.push(await sustain(full, receiver, { amount: eventsPerRound, ...ahead }))
  }
  const ratio = ratioOfRounds(
    speedsOf(taken.full, 'deliveredPerSecond'),
    speedsOf(taken.bare, 'deliveredPerSecond'),
  )
  return { bare: summarize(taken.bare), full: { ...summarize(taken.full), ratio } }
}
