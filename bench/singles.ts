import { ofRounds, ratioOfRounds, single } from './figures.ts'
import {
  startBareService,
  startFullPipeline,
  type FullPipeline,
  type Pipeline,
} from './pipelines.ts'
import { memoryOf, startNode, type BenchProcess } from './processes.ts'
import type { BenchmarkResult, SingleFigure, Table } from './results.ts'
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
const eventsPerRound = 5_000
const tenants = 10
const aheadMax = 500
const connections = 50
const rates = [100, 300]
const secondsPerRate = 20
const roundsPerRate = 3
const restSeconds = 20
const singly = { batchSize: 1, publishers: connections }

/**
 * Deliveries of events that are published individually, one per request, in alternating rounds: plain Express,
 * BullMQ and got, and the service.
 */
export async function singles(): Promise<BenchmarkResult> {
  const servers = await useBenchServers({ durable: true })
  const receiver = await startNode('bench/receiver.ts', {})
  const url = `${receiver.url}/hook`
  const bare = await startBareService(servers, url)
  const full = await startFullPipeline(servers, url, { tenants })
  const pipelines = { bare, full }
  const atRest = memoryFigure(full)
  for (const pipeline of Object.values(pipelines)) {
    await sustain(pipeline, receiver, { amount: eventsPerRound, aheadMax, ...singly })
  }
  const rest = await measureRest(pipelines)
  const steady = await keepUpInTurns(pipelines, receiver)
  const sustained = await inTurns(pipelines, receiver, { aheadMax })
  const burst = await inTurns(pipelines, receiver)
  const memory = { at_rest: atRest, after_load: memoryFigure(full) }
  await Promise.all(Object.values(pipelines).map((pipeline) => pipeline.stop()))
  await receiver.stop()
  await servers.stop()
  return {
    servers: servers.facts,
    settings: {
      tenants,
      connections,
      rounds,
      events_per_round: eventsPerRound,
      sustained_ahead_max: aheadMax,
      rounds_per_rate: roundsPerRate,
      seconds_per_rate: secondsPerRate,
      rest_seconds: restSeconds,
    },
    figures: { sustained, burst, steady, rest, memory: { full: memory } },
  }
}

type Pipelines = Readonly<Record<'bare' | 'full', Pipeline>>

async function inTurns(
  pipelines: Pipelines,
  receiver: BenchProcess,
  ahead: { aheadMax?: number } = {},
): Promise<Table> {
  const taken: Record<keyof Pipelines, Sustained[]> = { bare: [], full: [] }
  for (let round = 0; round < rounds; round++) {
    for (const name of ['bare', 'full'] as const) {
      const extent = { amount: eventsPerRound, ...ahead, ...singly }
      taken[name].push(await sustain(pipelines[name], receiver, extent))
    }
  }
  const ratio = ratioOfRounds(
    speedsOf(taken.full, 'deliveredPerSecond'),
    speedsOf(taken.bare, 'deliveredPerSecond'),
  )
  return { bare: summarize(taken.bare), full: { ...summarize(taken.full), ratio } }
}

/** The resident memory of the API and the worker. */
const memoryFigure = ({ api, worker }: FullPipeline): SingleFigure =>
  single('MiB', memoryOf(api.pid) + memoryOf(worker.pid))

async function keepUpInTurns(pipelines: Pipelines, receiver: BenchProcess): Promise<Table> {
  const taken: Record<string, SteadyRound[]> = {}
  for (let round = 0; round < roundsPerRate; round++) {
    for (const perSecond of rates) {
      for (const [name, pipeline] of Object.entries(pipelines)) {
        const pace = (taken[`${name}_at_${perSecond}`] ??= [])
        pace.push(await keepUpOnce(pipeline, receiver, perSecond))
      }
    }
  }
  return Object.fromEntries(
    Object.entries(taken).map(([name, each]) => [
      name,
      { ...summarizeLatency(each.map(({ latency }) => latency)), ...summarizeCpu(each) },
    ]),
  )
}

interface SteadyRound {
  readonly latency: Latency
  /** CPU microseconds per delivery, by process. */
  readonly cpuUs: Readonly<Record<string, number>>
}

async function keepUpOnce(
  pipeline: Pipeline,
  receiver: BenchProcess,
  perSecond: number,
): Promise<SteadyRound> {
  const before = await pipeline.cpu()
  const latency = await keepUp(pipeline, receiver, { perSecond, seconds: secondsPerRate })
  const after = await pipeline.cpu()
  const deliveries = perSecond * secondsPerRate
  const usOf = (process: string) => ((after[process]! - before[process]!) * 1e6) / deliveries
  return {
    latency,
    cpuUs: Object.fromEntries(Object.keys(after).map((process) => [process, usOf(process)])),
  }
}

const summarizeCpu = (taken: readonly SteadyRound[]) =>
  Object.fromEntries(
    Object.keys(taken[0]!.cpuUs).map((process) => [
      `cpu_${process}`,
      ofRounds(
        'µs',
        taken.map(({ cpuUs }) => cpuUs[process]!),
      ),
    ]),
  )

/** CPU time of each process per second while nothing is published. */
async function measureRest(pipelines: Pipelines): Promise<Table> {
  const before = await cpuOf(pipelines)
  await new Promise((resolve) => setTimeout(resolve, restSeconds * 1_000))
  const after = await cpuOf(pipelines)
  return Object.fromEntries(
    Object.entries(after).map(([name, used]) => [
      name,
      Object.fromEntries(
        Object.entries(used).map(([process, seconds]) => [
          `cpu_${process}`,
          single('µs', ((seconds - before[name]![process]!) * 1e6) / restSeconds),
        ]),
      ),
    ]),
  )
}

async function cpuOf(pipelines: Pipelines): Promise<Record<string, Record<string, number>>> {
  const used: Record<string, Record<string, number>> = {}
  for (const [name, pipeline] of Object.entries(pipelines)) used[name] = await pipeline.cpu()
  return used
}
