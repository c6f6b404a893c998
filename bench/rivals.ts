import { openDatabase } from '@hosting/postgres/database'
import { existsSync, readFileSync } from 'node:fs'
import { root, runTool } from '../tools/run.ts'
import { ratioOfRounds } from './figures.ts'
import { toLoadTarget, startGateAndBare, withKeys, type LoadTarget } from './gate.ts'
import { startNode } from './processes.ts'
import { measure, speedsOf, summarizeRequests, type RequestRound } from './request-rounds.ts'
import type { BenchmarkResult, Table } from './results.ts'
import { useBenchServers, type BenchServers } from './servers.ts'

/** A key may make 600 requests per minute, in both systems. */
const keys = 2_000
const rounds = 5
const secondsPerRound = 4
const folder = `${root}bench/rivals`

/**
 * The gate's route behind better-auth's API keys, with PostgreSQL and with only Redis; in alternating rounds with
 * the gate and plain Express. Installs packages that nothing else needs.
 */
export async function rivals(): Promise<BenchmarkResult> {
  if (!existsSync(`${folder}/node_modules`))
    runTool('npm', ['ci', '--ignore-scripts', '--prefix', folder])
  const servers = await useBenchServers()
  const database = openDatabase(servers.databaseUrl, { onError: () => undefined })
  const { gate, bare, bareEnvironment } = await startGateAndBare(servers, database, keys)
  const responders = {
    bare_express: bare,
    gate,
    better_auth_postgres: await startBetterAuth(servers, bareEnvironment, 'database'),
    better_auth_redis: await startBetterAuth(servers, bareEnvironment, 'secondary-storage'),
  }

  const taken: Record<string, RequestRound[]> = {}
  for (let round = 0; round < rounds; round++) {
    for (const [name, measured] of Object.entries(responders)) {
      ;(taken[name] ??= []).push(await measure(measured, { seconds: secondsPerRound }))
    }
  }
  await Promise.all(Object.values(responders).map(({ process }) => process.stop()))
  await database.close()
  await servers.stop()
  return {
    servers: { ...servers.facts, 'better-auth': { version: versionOfBetterAuth() } },
    settings: { keys, rounds, seconds_per_round: secondsPerRound },
    figures: { keys: summarize(taken) },
  }
}

async function startBetterAuth(
  { environment }: BenchServers,
  bareEnvironment: Readonly<Record<string, string>>,
  storage: 'database' | 'secondary-storage',
): Promise<LoadTarget> {
  const process = await startNode('bench/rivals/better-auth.mjs', {
    ...environment,
    ...bareEnvironment,
    STORAGE: storage,
    KEYS: String(keys),
  })
  const made = (await (await fetch(`${process.url}/keys`)).json()) as string[]
  const measured = toLoadTarget(process, withKeys(made))
  await measured.put({ amount: keys })
  return measured
}

const summarize = (taken: Readonly<Record<string, readonly RequestRound[]>>): Table =>
  Object.fromEntries(
    Object.entries(taken).map(([name, own]) => [
      name,
      {
        ...summarizeRequests(own),
        ...(name !== 'gate' && {
          gate_ratio: ratioOfRounds(speedsOf(taken['gate']!), speedsOf(own)),
        }),
      },
    ]),
  )

function versionOfBetterAuth(): string {
  const manifest = readFileSync(`${folder}/package.json`, 'utf8')
  const { dependencies } = JSON.parse(manifest) as { dependencies: Record<string, string> }
  return dependencies['better-auth']!
}
