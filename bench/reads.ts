import { openDatabase } from '@hosting/postgres/database'
import { percentile, single } from './figures.ts'
import type { Flood } from './flood.ts'
import type { Load, LoadRequest } from './load.ts'
import { makeOwner } from './owner.ts'
import { prepareLoad, startNode } from './processes.ts'
import { fillReads, idlePersonId, openSession, sizes } from './reads-data.ts'
import type { BenchmarkResult, SingleFigure } from './results.ts'
import { useBenchServers } from './servers.ts'

const seconds = 12
const connections = 60
/** Waits between two requests of the other organization, in ms. */
const pauseMs = 20

/** The floods, by their rows. */
const floods: Readonly<Record<string, { path: string; signedIn: boolean }>> = {
  audit_pair: {
    path: `/api/v1/audit-log?action=api_key.update&actor_id=${idlePersonId}`,
    signedIn: true,
  },
  audit_page: { path: `/audit?action=api_key.update&actor_id=${idlePersonId}`, signedIn: true },
  keys_named: { path: '/api/v1/api-keys?q=zzzz', signedIn: true },
  keys_disabled: { path: '/api/v1/api-keys?status=disabled', signedIn: true },
  keys_page: { path: '/keys?q=zzzz', signedIn: true },
  docs_search: {
    path: `/docs/search?q=${Array.from({ length: 50 }, () => 'e').join('+')}`,
    signedIn: false,
  },
}

/**
 * The requests of an organization by itself, and while one session of another organization makes 60 expensive reads at
 * once, in a log of a million entries and among 200,000 revoked keys.
 */
export async function reads(): Promise<BenchmarkResult> {
  const servers = await useBenchServers()
  const database = openDatabase(servers.databaseUrl, {
    timeouts: { queryMs: 1_200_000, statementMs: 1_200_000 },
    onError: () => undefined,
  })
  const owner = await makeOwner(database, servers.serverSecret, { keys: 0 })
  const cookie = await openSession(database, servers.serverSecret, owner)
  await fillReads(database, owner)
  const { tokens } = await makeOwner(database, servers.serverSecret, { keys: 50 })
  const api = await startNode('apps/api/dist/bundle/main.js', servers.environment)
  const ask = async (path: string, index: number): Promise<[number, number]> => {
    const before = performance.now()
    const authorization = `Bearer ${tokens[index % tokens.length]}`
    const response = await fetch(`${api.url}/api/v1${path}`, { headers: { authorization } })
    await response.text()
    return [performance.now() - before, response.status]
  }
  await askUntil(ask, pause(3))
  const beside: Record<string, Record<string, SingleFigure>> = {}
  for (const [name, { path, signedIn }] of Object.entries(floods)) {
    const quiet = await askUntil(ask, pause(seconds))
    const headers = signedIn ? { Cookie: cookie } : {}
    await requireFound(api.url, { path, headers })
    const flood: Flood = { url: api.url, requests: [{ path, headers }], connections, seconds }
    const { fire, outcome } = await prepareLoad<Load>('bench/flood.ts', {
      FLOOD: JSON.stringify(flood),
    })
    fire()
    const loud = await askUntil(ask, outcome)
    const { requests: flooded, not200 } = await outcome
    beside[name] = {
      p95_quiet: single('ms', quiet.p95),
      p95: single('ms', loud.p95),
      p95_ratio: single('ratio', loud.p95 / quiet.p95),
      not_200: single('count', loud.not200),
      flood: single('/s', flooded / seconds),
      flood_refused: single('count', not200),
    }
  }
  await api.stop()
  await database.close()
  await servers.stop()
  return {
    servers: servers.facts,
    settings: { ...sizes, parallel_requests: connections, seconds },
    figures: { reads: beside },
  }
}

/** A flood of wrong requests would measure nothing. */
async function requireFound(url: string, { path, headers }: LoadRequest): Promise<void> {
  const { status } = await fetch(url + path, { headers: { ...headers } })
  if (status !== 200) throw new Error(`${path} gave ${status}`)
}

type Ask = (path: string, index: number) => Promise<[ms: number, status: number]>

/** Sends requests one after the other until something has happened. */
async function askUntil(ask: Ask, end: Promise<unknown>): Promise<{ p95: number; not200: number }> {
  const measuring = { isOn: true }
  const ended = end.finally(() => (measuring.isOn = false))
  const times: number[] = []
  let not200 = 0
  while (measuring.isOn) {
    const [ms, status] = await ask('/webhooks', times.length)
    times.push(ms)
    if (status !== 200) not200 += 1
    await pause(pauseMs / 1_000)
  }
  await ended
  return {
    p95: percentile(
      times.toSorted((a, b) => a - b),
      0.95,
    ),
    not200,
  }
}

const pause = (forSeconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, forSeconds * 1_000))
