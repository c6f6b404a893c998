import { afterAll, beforeAll, expect } from '@jest/globals'
import { setTimeout } from 'node:timers/promises'
import { environmentOn } from '../../support/environment.ts'
import { runService } from '../../support/processes.ts'
import { startChanges } from './changes.ts'
import { startLoad, type Load } from '../../faults/load/load.ts'
import { startServers, type FaultServers } from '../../faults/system/servers.ts'
import { holdLocks, observerName, watchSessions } from '../../faults/system/sessions.ts'
import { startSystem, type System } from '../../faults/load/system.ts'
import { tryFault } from '../../faults/load/trial.ts'

/** How long PostgreSQL hangs, a row is locked, and tables are locked, in ms. */
const stalls = { stopMs: 40_000, rowMs: 40_000, tableMs: 60_000 }
/** The load is small, because it runs for minutes and other files use the machine. */
const pauseMs = 1_200
/** The number of events published after each stall. */
const between = 100

/** How a system connects to its database. */
export interface Way {
  readonly name: string
  /** The maximum number of PostgreSQL sessions of the services. */
  readonly sessionsMax: number
  /** Returns the settings for the database, and a function that stops what it started. */
  open(servers: FaultServers): Promise<{ environment: Database; close?: () => Promise<void> }>
}

type Database = { readonly DATABASE_URL: string; readonly DATABASE_DIRECT_URL?: string }

/** The application name of the test's own sessions. */
const observeAt = (servers: FaultServers): string => {
  const url = new URL(servers.databaseUrl)
  url.searchParams.set('application_name', observerName)
  return url.href
}

type Environment = Parameters<typeof environmentOn>[0]

/** Processes that start while PostgreSQL hangs exit with a message; returns their exit codes. */
async function startAll(environment: Environment) {
  const impatient = { ...environmentOn(environment), START_TIMEOUT_SECONDS: '0' }
  const ended = await Promise.all([runService('api', impatient), runService('worker', impatient)])
  for (const { output } of ended) {
    expect(output).toMatch(
      /(timeout exceeded when trying to connect|Query read timeout).*the process cannot continue/,
    )
  }
  return ended.map(({ code }) => code)
}

/** The stalled servers, and the load meanwhile. */
interface Scene {
  readonly servers: FaultServers
  readonly environment: Environment
  readonly system: System
  readonly load: Load
}

/**
 * Starts a system for the tests of a file.
 *
 * @returns a function that stalls PostgreSQL in every way, one after the other. Nothing may be lost, no transaction
 *   may hold two changes, and no connection may exceed the pools.
 */
export function useStalls(way: Way): () => Promise<void> {
  let servers: FaultServers
  let opened: Awaited<ReturnType<Way['open']>>
  let scene: Scene

  beforeAll(async () => {
    servers = await startServers()
    await servers.repair()
    opened = await way.open(servers)
    const environment = { ...opened.environment, REDIS_URL: servers.redis.url() }
    const system = await startSystem(environment, { observeAt: observeAt(servers) })
    scene = { servers, environment, system, load: startLoad(system, { pauseMs }) }
  })
  afterAll(async () => {
    scene?.load.abandon()
    await scene?.system.stop()
    await opened?.close?.()
    await servers?.stop()
  })
  return () => tryStalls(way, scene)
}

async function tryStalls({ name, sessionsMax }: Way, scene: Scene): Promise<void> {
  const databaseUrl = observeAt(scene.servers)
  const changes = await startChanges(scene.system, databaseUrl)
  const sessions = await watchSessions(databaseUrl)
  const fault = {
    name: `PostgreSQL hangs, then a row and then tables are locked, ${name}`,
    workersHit: 6,
    publishersNotice: true,
  }
  await tryFault(fault, {
    ...scene,
    async inject() {
      await stall(scene, changes.endpointIds)
      const { lost, mixed, ...statistics } = await changes.stop()
      const { most, looks } = await sessions.stop()
      process.stdout.write(
        `${JSON.stringify({ way: name, ...statistics, lost: lost.length, mixed, sessions: most, sessionsMax, looks })}\n`,
      )
      expect({ lost, mixed }).toEqual({ lost: [], mixed: [] })
      expect(statistics.refused503).toBeGreaterThan(0)
      expect(most).toBeLessThanOrEqual(sessionsMax)
    },
  })
}

/** @param endpointIds - whose rows are locked. */
async function stall(
  { servers, environment, load }: Scene,
  endpointIds: readonly string[],
): Promise<void> {
  const resume = await servers.postgres.freeze()
  const [started] = await Promise.all([startAll(environment), setTimeout(stalls.stopMs)])
  resume()
  expect(started).toEqual([1, 1])
  await load.accepts(between)
  await holdLocks(observeAt(servers), {
    statement: 'SELECT 1 FROM webhook_endpoints WHERE id = ANY ($1::uuid[]) FOR UPDATE',
    values: [endpointIds],
    forMs: stalls.rowMs,
  })
  await load.accepts(between)
  await holdLocks(observeAt(servers), {
    statement: 'LOCK TABLE audit_events, pending_deliveries IN ACCESS EXCLUSIVE MODE',
    forMs: stalls.tableMs,
  })
  await load.accepts(between)
}
