import { startNameServer } from '../test/support/name-server.ts'
import { root } from '../tools/run.ts'
import { allSent } from './beside-backlog.ts'
import { single } from './figures.ts'
import { startFullPipeline } from './pipelines.ts'
import { startNode } from './processes.ts'
import { publishSteadily } from './publisher.ts'
import type { BenchmarkResult } from './results.ts'
import { keepUp, toLatencyFigures } from './rounds.ts'
import { useBenchServers } from './servers.ts'

const organizations = 20
const namesEach = 5
/** The events of each organization with silent names. Each of them goes to all of its endpoints. */
const eventsPerSecond = 5
const pace = { perSecond: 20, seconds: 30 }
const p95MsMax = 1_000

/** An organization whose name resolves, beside organizations whose host names no name server answers. */
export async function silentNames(): Promise<BenchmarkResult> {
  const nameServer = await startNameServer((name) =>
    name.endsWith('.silent.test') ? 'silent' : { v4: '127.0.0.1' },
  )
  const servers = await useBenchServers({ durable: true })
  const receiver = await startNode('bench/receiver.ts', {})
  const environment = { ...servers.environment, BENCH_NAME_SERVER: nameServer.address }
  const { port } = new URL(receiver.url)
  const full = await startFullPipeline(
    { ...servers, environment },
    `http://innocent.test:${port}/hook`,
    { tenants: 1, workerFlags: ['--import', `${root}bench/name-servers.ts`] },
  )
  const silent = await Promise.all(
    Array.from({ length: organizations }, (_, organization) =>
      full.subscribe(...namesOf(organization).map((name) => `http://${name}/hook`)),
    ),
  )
  const measured = { ...full, drained: () => allSent(full.database.pool, full.tenantIds[0]!) }
  await keepUp(measured, receiver, { perSecond: 20, seconds: 5 })
  const baseline = await keepUp(measured, receiver, pace)
  const perSecond = organizations * eventsPerSecond
  const load = publishSteadily(full.publish, silent, { perSecond, seconds: pace.seconds + 15 })
  await new Promise((resolve) => setTimeout(resolve, 10_000))
  const beside = await keepUp(measured, receiver, pace)
  await load
  await full.stop()
  await Promise.all([receiver.stop(), nameServer.close()])
  await servers.stop()
  return {
    servers: servers.facts,
    settings: { organizations, names_each: namesEach, events_per_second: eventsPerSecond },
    figures: {
      latency: { baseline: toLatencyFigures(baseline), beside: toLatencyFigures(beside) },
      outcome: { innocent: { p95: single('ms', beside.p95), allowed: single('ms', p95MsMax) } },
    },
  }
}

const namesOf = (organization: number): string[] =>
  Array.from({ length: namesEach }, (_, index) => `n${index}.o${organization}.silent.test`)
