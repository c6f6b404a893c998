import { createKeyToken, rateLimitMax } from '@hosting/core/api-keys'
import { createApiKey, createServiceUser } from '@hosting/postgres/api-keys'
import { openDatabase, type Database } from '@hosting/postgres/database'
import { randomUUID } from 'node:crypto'
import { startIssuer, type Issuer } from '../test/support/issuer.ts'
import { ofRounds, percentile, ratioOfRounds, single } from './figures.ts'
import { toLoadTarget, withKeys } from './gate.ts'
import { makeOwner } from './owner.ts'
import { startNode, type BenchProcess } from './processes.ts'
import { measure, speedsOf, summarizeRequests, type RequestRound } from './request-rounds.ts'
import type { BenchmarkResult } from './results.ts'
import { useBenchServers } from './servers.ts'

const keys = 2_000
/** A key may exchange 60 tokens per minute and have 50, so the exchanges take turns over many keys. */
const workloadKeys = 200
const exchangesPerSecond = 50
const rounds = 5
const secondsPerRound = 4
const publicUrl = 'http://bench.test'

/**
 * Requests with cached keys at full load, by themselves and beside 50 exchanges of identity tokens per second with
 * other keys, in alternating rounds on one API process. The process counts the records that it reads from PostgreSQL.
 */
export async function exchanges(): Promise<BenchmarkResult> {
  const servers = await useBenchServers()
  const database = openDatabase(servers.databaseUrl, { onError: () => undefined })
  const environment = { ...servers.environment, PUBLIC_URL: publicUrl }
  const api = await startNode('apps/api/dist/bundle/main.js', environment)
  const issuer = await startIssuer()
  const { tenantId, tokens } = await makeOwner(database, servers.serverSecret, { keys })
  const audiences = await makeWorkloadKeys(database, tenantId, issuer.url)
  const target = toLoadTarget(api, withKeys(tokens))
  await target.put({ amount: keys })
  await exchangeSteadily(api, signAll(issuer, audiences), Promise.resolve())

  const taken = { alone: [] as CountedRound[], beside: [] as CountedRound[] }
  const { alone, beside } = taken
  const exchanged: Exchanged[] = []
  for (let round = 0; round < rounds; round++) {
    alone.push(await counted(api, () => measure(target, { seconds: secondsPerRound })))
    const identityTokens = signAll(issuer, audiences)
    beside.push(
      await counted(api, async () => {
        const load = measure(target, { seconds: secondsPerRound })
        exchanged.push(await exchangeSteadily(api, identityTokens, load))
        return load
      }),
    )
  }
  await api.stop()
  await issuer.close()
  await database.close()
  await servers.stop()
  return {
    servers: servers.facts,
    settings: {
      keys,
      workload_keys: workloadKeys,
      exchanges_per_second: exchangesPerSecond,
      rounds,
      seconds_per_round: secondsPerRound,
    },
    figures: {
      exchanges: {
        alone: summarize(alone),
        beside: { ...summarize(beside), ratio: ratioOfRounds(speedsOf(beside), speedsOf(alone)) },
      },
      exchange: {
        token: {
          ...summarizeExchanges(exchanged),
          cpu: ofRounds('ms', cpuOfExchanges(taken, exchanged)),
        },
      },
    },
  }
}

/** Creates workload keys of our own issuer. Returns their audiences. */
async function makeWorkloadKeys(
  { prisma }: Database,
  tenantId: string,
  issuer: string,
): Promise<string[]> {
  const userId = randomUUID()
  await prisma.$transaction((tx) => createServiceUser(tx, { id: userId, tenantId, name: 'bench' }))
  const audiences: string[] = []
  for (let made = 0; made < workloadKeys; made++) {
    const { id } = createKeyToken()
    await createApiKey(prisma, {
      id,
      secretHash: undefined,
      workload: {
        issuer,
        conditions: { repository_id: '1234' },
        tokenLifetimeSeconds: 60,
        singleUse: true,
        audience: null,
      },
      tenantId,
      userId,
      createdById: null,
      kind: 'organization',
      source: 'workload',
      name: 'bench',
      scopes: ['sites:read'],
      expiresAt: null,
      rateLimitPerMinute: rateLimitMax,
    })
    audiences.push(`${publicUrl}/workloads/${id}`)
  }
  return audiences
}

/** Signs one identity token for each key, before the measurement. */
const signAll = (issuer: Issuer, audiences: readonly string[]): string[] =>
  audiences.map((aud) => issuer.sign({ aud, repository_id: '1234' }))

interface Exchanged {
  readonly latencies: readonly number[]
  readonly perSecond: number
  readonly not200: number
}

/** Exchanges the tokens at a steady rate, at most until the load has ended; at least one. */
async function exchangeSteadily(
  { url }: BenchProcess,
  identityTokens: readonly string[],
  load: Promise<unknown>,
): Promise<Exchanged> {
  let isOver = false
  void load.then(() => (isOver = true))
  const startedAt = performance.now()
  const sent: Promise<{ status: number; ms: number }>[] = []
  for (const [index, token] of identityTokens.entries()) {
    const waitMs = startedAt + (index * 1_000) / exchangesPerSecond - performance.now()
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
    if (isOver && index > 0) break
    sent.push(exchangeOne(url, token))
  }
  const seconds = (performance.now() - startedAt) / 1_000
  const results = await Promise.all(sent)
  return {
    latencies: results.map(({ ms }) => ms).toSorted((a, b) => a - b),
    perSecond: results.length / seconds,
    not200: results.filter(({ status }) => status !== 200).length,
  }
}

async function exchangeOne(url: string, token: string): Promise<{ status: number; ms: number }> {
  const startedAt = performance.now()
  const response = await fetch(`${url}/api/v1/auth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    }),
  })
  await response.arrayBuffer()
  return { status: response.status, ms: performance.now() - startedAt }
}

/** A round, with the number of key records that the process read. */
interface CountedRound extends RequestRound {
  readonly recordsRead: number
}

async function counted(api: BenchProcess, run: () => Promise<RequestRound>): Promise<CountedRound> {
  const before = await recordsReadBy(api)
  const round = await run()
  return { ...round, recordsRead: (await recordsReadBy(api)) - before }
}

async function recordsReadBy({ internalUrl }: BenchProcess): Promise<number> {
  const text = await (await fetch(`${internalUrl}/metrics`)).text()
  return Number(/^hosting_gate_passages_total\{record="read"\} (\d+)/m.exec(text)![1])
}

/** The CPU time of an exchange in each round, in ms: what the requests of the round do not account for. */
const cpuOfExchanges = (
  { alone, beside }: Readonly<Record<'alone' | 'beside', readonly CountedRound[]>>,
  exchanged: readonly Exchanged[],
): number[] =>
  beside.map(({ load, cpuSeconds }, round) => {
    const { load: other, cpuSeconds: otherSeconds } = alone[round]!
    const ofRequests = (load.requests * otherSeconds) / other.requests
    return ((cpuSeconds - ofRequests) * 1_000) / exchanged[round]!.latencies.length
  })

const summarize = (taken: readonly CountedRound[]) => ({
  ...summarizeRequests(taken),
  records_read: single(
    'count',
    taken.reduce((sum, { recordsRead }) => sum + recordsRead, 0),
  ),
})

const summarizeExchanges = (taken: readonly Exchanged[]) => ({
  exchanges: ofRounds(
    '/s',
    taken.map(({ perSecond }) => perSecond),
  ),
  p50: ofRounds(
    'ms',
    taken.map(({ latencies }) => percentile(latencies, 0.5)),
  ),
  p99: ofRounds(
    'ms',
    taken.map(({ latencies }) => percentile(latencies, 0.99)),
  ),
  not_200: single(
    'count',
    taken.reduce((sum, { not200 }) => sum + not200, 0),
  ),
})
