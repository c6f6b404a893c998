/* oxlint-disable no-underscore-dangle -- pg's own names */
import pg from 'pg'
import type { Socket } from 'node:net'
import { types } from './column-types.ts'
import { defineStatement, run } from './define-statement.ts'

const { float, int, listOf, notNull } = types

/** The connections that {@link watchForSilence} watches, and how it does. */
export interface SilenceWatch {
  /** The open connections, and those that are being opened or closed. */
  connections(): Iterable<pg.Client>
  /** Asks the server something on idle connections, because only silence after a question is conspicuous. */
  ask(): void
  /** How to open a new connection to the same server. */
  readonly config: pg.ClientConfig
  /** How long a connection that waits for the server may receive nothing before another one asks about it, in ms. */
  readonly silentMs: number
  /**
   * Behind a pooler, which does not tell for which connection the server works: after this time in ms without a
   * response, the server has ended every statement. 0 means that it never does.
   */
  readonly pooledMs?: number | undefined
  /** Called after connections were abandoned. */
  onAbandon?(): void
}

/**
 * Abandons connections that were forgotten by the server or the network: they wait for a response, nothing arrives,
 * and the server says on a new connection that it does not work for them
 * (packages/postgres/connections.md#silent-connections). A connection for which the server works is kept, however long
 * that takes. While the server accepts no new connection, all are kept.
 *
 * @returns the function that stops the watch.
 */
export function watchForSilence(watch: SilenceWatch): () => void {
  let waits: ReadonlyMap<pg.Client, Wait> = new Map()
  let checking: Promise<void> | undefined
  let isAskingTurn = false
  const timer = setInterval(() => {
    isAskingTurn = !isAskingTurn
    if (isAskingTurn) watch.ask()
    waits = measure(watch.connections(), waits)
    const silent = [...waits].filter(([, { sinceMs }]) => ageOf(sinceMs) >= watch.silentMs)
    if (silent.length === 0) return
    checking ??= abandonForgotten(watch, silent)
      .catch(() => undefined)
      .finally(() => (checking = undefined))
  }, watch.silentMs / 2).unref()
  return () => clearInterval(timer)
}

/** How a connection outside of the pools is watched. */
interface ClientWatch extends Pick<SilenceWatch, 'config' | 'silentMs'> {
  /** Whether the pool must notice that the connection is silent while nothing uses it. */
  readonly asksWhileIdle?: boolean
}

/** Watches a connection outside of the pools until it ends. Also handles its `error` events, which end the process otherwise. */
export function watchClient(
  client: pg.Client,
  { config, silentMs, asksWhileIdle = false }: ClientWatch,
): void {
  const stop = watchForSilence({
    connections: () => [client],
    ask: () => {
      if (asksWhileIdle && !isWaiting(client)) client.query('SELECT 1').catch(() => undefined)
    },
    config,
    silentMs,
  })
  // The caller that waits for a statement gets the error from it.
  client.on('error', () => undefined).once('end', stop)
}

/** How long a connection has been waiting for the server without receiving anything. */
interface Wait {
  readonly sinceMs: number
  readonly bytesRead: number
}

function measure(
  connections: Iterable<pg.Client>,
  before: ReadonlyMap<pg.Client, Wait>,
): ReadonlyMap<pg.Client, Wait> {
  const waiting = [...connections].filter(isWaiting)
  return new Map(
    waiting.map((client) => {
      const bytesRead = bytesReadOf(client)
      const last = before.get(client)
      return [
        client,
        last?.bytesRead === bytesRead ? last : { sinceMs: performance.now(), bytesRead },
      ]
    }),
  )
}

/** The `application_name` of the sessions that ask about silent connections, which belong to no pool. */
export const silenceCheckName = 'hosting-silence-check'

/** A connection attempt may take this many times as long as a response, because nobody can ask about it. */
const attemptFactor = 3

async function abandonForgotten(
  watch: SilenceWatch,
  silent: readonly (readonly [pg.Client, Wait])[],
): Promise<void> {
  const { config, silentMs, pooledMs, onAbandon } = watch
  // A server that was unreachable can be asked soon after it returns, although this attempt may have begun before.
  const attemptMs = attemptFactor * silentMs
  const working = await findWorking(
    { ...config, connectionTimeoutMillis: attemptMs, query_timeout: attemptMs },
    silent.map(([client]) => pidOf(client)),
    silentMs / 2,
  )
  const isForgotten = (client: pg.Client, { sinceMs, bytesRead }: Wait): boolean => {
    if (!isWaiting(client) || bytesReadOf(client) !== bytesRead) return false
    if (pidOf(client) === undefined) return ageOf(sinceMs) >= attemptMs
    if (pooledMs === undefined) return !working.has(pidOf(client)!)
    return pooledMs > 0 && ageOf(sinceMs) >= pooledMs
  }
  const forgotten = silent.filter(([client, wait]) => isForgotten(client, wait))
  for (const [client] of forgotten) streamOf(client).destroy()
  if (forgotten.length > 0) onAbandon?.()
}

/**
 * Finds out on a new connection for which of the sessions the server works.
 *
 * @param recentMs - a session that became idle less than this ago counts too: its response may be on its way.
 */
async function findWorking(
  config: pg.ClientConfig,
  pids: readonly (number | undefined)[],
  recentMs: number,
): Promise<ReadonlySet<number>> {
  const client = new pg.Client({ ...config, application_name: silenceCheckName })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const given = pids.filter((pid) => pid !== undefined)
    const rows = await run(client, workingStatement, { pids: given, recentMs })
    return new Set(rows.map(({ pid }) => pid))
  } finally {
    // If this connection falls silent too, nothing waits for its end.
    void client.end().catch(() => undefined)
  }
}

/** Returns those of the server's processes that execute a statement, or did recently. */
const workingStatement = defineStatement({
  name: 'list-working-sessions',
  takes: { pids: listOf(int), recentMs: float },
  gives: { pid: notNull(int, 'part of the condition') },
  sql: `
    SELECT pid FROM pg_stat_activity
    WHERE pid = ANY (:pids)
      AND (state NOT LIKE 'idle%' OR state_change > clock_timestamp() - :recentMs * interval '1 ms')`,
})

/** Members of pg's classes that its types omit. The version of pg is pinned. */
interface ClientInternals {
  readonly readyForQuery?: boolean
  readonly processID: number | null
  readonly _ending: boolean
  readonly connection: { readonly stream: Socket }
}
const internalsOf = (client: pg.Client) => client as unknown as ClientInternals

const streamOf = (client: pg.Client): Socket => internalsOf(client).connection.stream
const bytesReadOf = (client: pg.Client): number => streamOf(client).bytesRead
const pidOf = (client: pg.Client): number | undefined => internalsOf(client).processID ?? undefined
const isWaiting = (client: pg.Client): boolean => {
  const { readyForQuery, _ending } = internalsOf(client)
  return !readyForQuery || _ending
}
const ageOf = (sinceMs: number): number => performance.now() - sinceMs
