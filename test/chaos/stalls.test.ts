import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { setTimeout } from 'node:timers/promises'
import { environmentOn } from '../support/environment.ts'
import { startPgbouncer, poolSize, type Pgbouncer } from '../support/pgbouncer.ts'
import { runService } from '../support/processes.ts'
import { observerName, startChanges } from './support/changes.ts'
import { startLoad, type Load } from './support/load.ts'
import { startServers, type ChaosServers } from './support/servers.ts'
import { holdLocks, watchSessions } from './support/sessions.ts'
import { startSystem, type System } from './support/system.ts'
import { tryFault } from './support/trial.ts'

/** How long PostgreSQL stands still, a row is locked, and tables are locked, in ms. */
const stalls = { stopMs: 40_000, rowMs: 40_000, tableMs: 60_000 }
const testMsMax = 420_000
/** After each stall so many events are published. */
const between = 100

let servers: ChaosServers
let pgbouncer: Pgbouncer
let system: System
let load: Load

beforeAll(async () => {
  servers = await startServers()
  pgbouncer = await startPgbouncer(servers.postgres.url())
})
beforeEach(() => servers.mend())
afterEach(async () => {
  load?.abandon()
  await system?.stop()
})
afterAll(async () => {
  await pgbouncer?.stop()
  await servers?.stop()
})

/** The test's own sessions go by their name. */
const databaseUrl = (): string => {
  const url = new URL(servers.databaseUrl)
  url.searchParams.set('application_name', observerName)
  return url.href
}

/** Processes that start while PostgreSQL stands still end with a message; gives their exit codes. */
async function startAll(environment: Parameters<typeof environmentOn>[0]) {
  const ended = await Promise.all([
    runService('api', environmentOn(environment)),
    runService('worker', environmentOn(environment)),
  ])
  for (const { output } of ended) {
    expect(output).toMatch(
      /(timeout exceeded when trying to connect|Query read timeout).*the process cannot go on/,
    )
  }
  return ended.map(({ code }) => code)
}

const modes = [
  {
    mode: 'without a pooler',
    environment: () => ({ DATABASE_URL: servers.databaseUrl }),
    // Two APIs and two workers with two pools of 10 each; an API listens, a worker's retention may run.
    sessionsMax: 4 * 21,
  },
  {
    mode: 'behind PgBouncer in transaction mode',
    environment: () => ({
      DATABASE_URL: pgbouncer.url(servers.databaseUrl),
      DATABASE_DIRECT_URL: servers.databaseUrl,
    }),
    sessionsMax: poolSize + 4,
  },
]

describe.each(modes)('$mode', ({ mode, environment, sessionsMax }) => {
  test(
    'nothing is lost, committed by strangers or connected beyond the pools while PostgreSQL stalls',
    async () => {
      system = await startSystem(
        { ...environment(), REDIS_URL: servers.redis.url() },
        { observeAt: databaseUrl() },
      )
      load = startLoad(system)
      const changes = await startChanges(system, databaseUrl())
      const sessions = await watchSessions(databaseUrl())
      const name = `PostgreSQL stands still, then a row and then tables are locked, ${mode}`
      const fault = { name, workersHit: 6, publishersNotice: true }
      await tryFault(fault, {
        system,
        load,
        async inject() {
          const resume = await servers.postgres.freeze()
          const [started] = await Promise.all([
            startAll({ ...environment(), REDIS_URL: servers.redis.url() }),
            setTimeout(stalls.stopMs),
          ])
          resume()
          expect(started).toEqual([1, 1])
          await load.accepts(between)
          await holdLocks(databaseUrl(), {
            statement: 'SELECT 1 FROM webhook_endpoints WHERE id = ANY ($1::uuid[]) FOR UPDATE',
            values: [changes.endpointIds],
            forMs: stalls.rowMs,
          })
          await load.accepts(between)
          await holdLocks(databaseUrl(), {
            statement: 'LOCK TABLE audit_events, pending_deliveries IN ACCESS EXCLUSIVE MODE',
            forMs: stalls.tableMs,
          })
          await load.accepts(between)
          const { lost, mixed, ...answered } = await changes.stop()
          const { most, looks } = await sessions.stop()
          process.stdout.write(
            `${JSON.stringify({ mode, ...answered, lost: lost.length, mixed, sessions: most, sessionsMax, looks })}\n`,
          )
          expect({ lost, mixed }).toEqual({ lost: [], mixed: [] })
          expect(answered.answered503).toBeGreaterThan(0)
          expect(most).toBeLessThanOrEqual(sessionsMax)
        },
      })
    },
    testMsMax,
  )
})
