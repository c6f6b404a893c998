import { openDatabase } from '@hosting/postgres/database'
import { ofRounds, percentile, single } from './figures.ts'
import { withKeys } from './gate.ts'
import { sendSteadily } from './load.ts'
import { makeOwner } from './owner.ts'
import { prepareLoad, startNode, type BenchProcess } from './processes.ts'
import type { BenchmarkResult, Figure } from './results.ts'
import { useBenchServers } from './servers.ts'

const keys = 50
const perSecond = 100
const rounds = 5
const baselineSeconds = 3

/** How the sign-ins of a storm arrive. */
interface StormKind {
  readonly keepsAlive: boolean
  readonly isForm: boolean
}

const kinds: Readonly<Record<string, StormKind>> = {
  new_connections: { keepsAlive: false, isForm: false },
  kept_connections: { keepsAlive: true, isForm: false },
  forms: { keepsAlive: false, isForm: true },
}

/** The times of key requests during a storm, in ms, and the results of its sign-ins. */
interface Storm {
  readonly latencies: readonly number[]
  readonly refused: number
  readonly ms: number
}

/** Requests with keys at a steady rate, by themselves and during 480 sign-ins at once from 24 addresses. */
export async function signIns(): Promise<BenchmarkResult> {
  const servers = await useBenchServers()
  const database = openDatabase(servers.databaseUrl, { onError: () => undefined })
  const { tokens } = await makeOwner(database, servers.serverSecret, { keys })
  const requests = withKeys(tokens)
  const stormAt = async (api: BenchProcess, kind: StormKind): Promise<Storm> => {
    const { fire, outcome } = await prepareStorm(api, kind)
    const latencies = sendSteadily(api.url, requests, { perSecond, until: outcome })
    fire()
    return { ...(await outcome), latencies: await latencies }
  }

  const first: Storm[] = []
  for (let round = 0; round < rounds; round++) {
    const api = await startReady(servers.environment)
    first.push(await stormAt(api, kinds['new_connections']!))
    await api.stop()
  }
  const api = await startReady(servers.environment)
  for (const kind of Object.values(kinds)) await stormAt(api, kind)
  const baseline: (readonly number[])[] = []
  const beside: Record<string, Storm[]> = { first_storm: first }
  for (let round = 0; round < rounds; round++) {
    const until = new Promise((resolve) => setTimeout(resolve, baselineSeconds * 1_000))
    baseline.push(await sendSteadily(api.url, requests, { perSecond, until }))
    for (const [name, kind] of Object.entries(kinds)) {
      ;(beside[name] ??= []).push(await stormAt(api, kind))
    }
  }
  await api.stop()
  await database.close()
  await servers.stop()
  const storms = Object.entries(beside).map(([name, taken]) => [name, summarize(taken)] as const)
  return {
    servers: servers.facts,
    settings: { sign_ins: 480, addresses: 24, requests_per_second: perSecond, keys, rounds },
    figures: { latency: { baseline: toLatencies(baseline), ...Object.fromEntries(storms) } },
  }
}

async function startReady(environment: Readonly<Record<string, string>>): Promise<BenchProcess> {
  const api = await startNode('apps/api/dist/bundle/main.js', environment)
  while (!(await fetch(`${api.internalUrl}/readyz`)).ok) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return api
}

let storms = 0

const prepareStorm = ({ url }: BenchProcess, { keepsAlive, isForm }: StormKind) =>
  prepareLoad<Omit<Storm, 'latencies'>>('bench/sign-in-storm.ts', {
    STORM_URL: url,
    STORM_ROUND: String(storms++),
    STORM_KEEPS_ALIVE: keepsAlive ? 'yes' : 'no',
    STORM_IS_FORM: isForm ? 'yes' : 'no',
  })

const summarize = (taken: readonly Storm[]): Readonly<Record<string, Figure>> => ({
  ...toLatencies(taken.map(({ latencies }) => latencies)),
  refused: ofRounds(
    'count',
    taken.map(({ refused }) => refused),
  ),
  took: ofRounds(
    'ms',
    taken.map(({ ms }) => ms),
  ),
})

function toLatencies(taken: readonly (readonly number[])[]): Readonly<Record<string, Figure>> {
  const sorted = taken.map((latencies) => latencies.toSorted((a, b) => a - b))
  const ofShare = (share: number): Figure =>
    ofRounds(
      'ms',
      sorted.map((latencies) => percentile(latencies, share)),
    )
  const longest = Math.max(...sorted.flatMap((latencies) => latencies.slice(-1)))
  return { p50: ofShare(0.5), p99: ofShare(0.99), longest: single('ms', longest) }
}
