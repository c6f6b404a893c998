import type { Database } from '@hosting/postgres/database'
import { putLoad, type Load, type LoadExtent, type LoadRequest } from './load.ts'
import { makeOwner } from './owner.ts'
import { startNode, type BenchProcess } from './processes.ts'
import type { BenchServers } from './servers.ts'

/** The route behind every measured gate. */
const path = '/api/v1/tenant/edition'

/** A process with this route, and the load of a round. */
export interface LoadTarget {
  readonly process: BenchProcess
  readonly put: (extent: LoadExtent) => Promise<Load>
}

/**
 * An API process with `keys` keys in its caches, and plain Express 5 with the same response; also the
 * environment that another process needs to return that response.
 */
export async function startGateAndBare(
  servers: BenchServers,
  database: Database,
  keys: number,
): Promise<{
  gate: LoadTarget
  bare: LoadTarget
  bareEnvironment: Readonly<Record<string, string>>
}> {
  const api = await startNode('apps/api/dist/bundle/main.js', servers.environment)
  const { tokens } = await makeOwner(database, servers.serverSecret, { keys })
  const response = await fetch(api.url + path, { headers: bearer(tokens[0]!) })
  const bareEnvironment = { BARE_PATH: path, BARE_BODY: await response.text() }
  const bare = toLoadTarget(await startNode('bench/bare-express.ts', bareEnvironment), [{ path }])
  const gate = toLoadTarget(api, withKeys(tokens))

  // Warms every key, both processes, and the compiler.
  await gate.put({ amount: keys })
  await bare.put({ seconds: 2 })
  return { gate, bare, bareEnvironment }
}

/** One request per key. */
export const withKeys = (keys: readonly string[]): LoadRequest[] =>
  keys.map((key) => ({ path, headers: bearer(key) }))

/** A process and the requests that it gets in turn. */
export const toLoadTarget = (
  process: BenchProcess,
  requests: readonly LoadRequest[],
): LoadTarget => ({
  process,
  put: (extent) => putLoad(process.url, requests, extent),
})

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })

/** An API process whose measured route needs no credentials. */
export async function startOpenApi(
  servers: BenchServers,
  bareEnvironment: Readonly<Record<string, string>>,
): Promise<LoadTarget> {
  const environment = { ...servers.environment, ...bareEnvironment }
  const open = toLoadTarget(await startNode('bench/open-api.ts', environment), [{ path }])
  await open.put({ seconds: 2 })
  return open
}
