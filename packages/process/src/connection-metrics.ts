import { processClock } from '@hosting/core/clock'
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

/** The connections of a process. The metrics read them at every scrape. */
export interface Connections {
  /** The pg pools by name; `undefined` for a pool that this process does not use. */
  readonly pools: Readonly<Record<string, ConnectionPool | undefined>>
  isDatabaseReachable(): Promise<boolean>
  /**
   * Whether PostgreSQL keeps what it has confirmed, by setting: none if it does not respond. How long the oldest commit
   * has waited for a standby, in ms. And the primaries to which sessions were opened within the last minute.
   */
  readDurability(): Promise<{
    settings: Readonly<Record<string, boolean>>
    commitWaitMs: number
    primaries: readonly string[]
  }>
  /** Whether each connection to Redis is ready, by name. */
  readonly redis: Readonly<Record<string, () => boolean>>
}

interface ConnectionPool {
  readonly totalCount: number
  readonly idleCount: number
  readonly closingCount: number
  readonly waitingCount: number
}

/** A database that does not respond to a scrape within this time, in ms, counts as down. */
const reachableMsMax = 1_000

/**
 * The interval, in ms, of the timer that measures the delay of the event loop. prom-client's default of 10 would wake an
 * idle process 100 times per second.
 */
const eventLoopIntervalMs = 250

/** Adds prom-client's metrics of a Node process, and the delay of the event loop. */
export function addNodeMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: eventLoopIntervalMs })
  // A scrape collects in the order of registration, so this has been measured before.
  const interval = registry.getSingleMetric('nodejs_eventloop_lag_p99_seconds')!
  registry.registerMetric(
    new Gauge({
      name: 'hosting_event_loop_delay_seconds',
      help: 'The p99 delay of the event loop since the last scrape. `nodejs_eventloop_lag_*` includes the 250 ms between two measurements, and this does not.',
      registers: [],
      async collect() {
        const [p99] = (await interval.get()).values
        this.set(Math.max(0, (p99?.value ?? 0) - eventLoopIntervalMs / 1_000))
      },
    }),
  )
}

/** Adds the metrics that every process exports about itself and its connections. They are read at every scrape. */
export function addConnectionMetrics(registry: Registry, connections: Connections): void {
  const { version } = manifest
  registry.registerMetric(
    new Gauge({
      name: 'hosting_build_info',
      help: 'Always 1. The labels name the running versions.',
      labelNames: ['version', 'node'],
      registers: [],
      collect() {
        this.set({ version, node: process.version }, 1)
      },
    }),
  )
  registry.registerMetric(
    new Gauge({
      name: 'hosting_clock_difference_seconds',
      help: "Offset of this machine's clock from the database's; negative if it is behind.",
      registers: [],
      collect() {
        this.set(processClock.differenceMs() / 1_000)
      },
    }),
  )
  addPoolMetrics(registry, connections)
  const isReachable = boundedReachability(connections)
  registry.registerMetric(
    new Gauge({
      name: 'hosting_database_up',
      help: '1 if PostgreSQL responded to this process within a second.',
      registers: [],
      async collect() {
        this.set(Number(await isReachable()))
      },
    }),
  )
  addDurabilityMetrics(registry, connections)
  registry.registerMetric(
    new Gauge({
      name: 'hosting_redis_up',
      help: '1 if the connection of this process to Redis is ready, by purpose.',
      labelNames: ['connection'],
      registers: [],
      collect() {
        for (const [connection, isReady] of Object.entries(connections.redis)) {
          this.set({ connection }, Number(isReady()))
        }
      },
    }),
  )
}

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}

function addDurabilityMetrics(registry: Registry, connections: Connections): void {
  const commitWait = new Gauge({
    name: 'hosting_commit_wait_seconds',
    help: 'How long the oldest commit has waited for a synchronous standby of PostgreSQL. 0 if none waits.',
    registers: [],
  })
  const primary = new Gauge({
    name: 'hosting_database_primary',
    help: 'Always 1, for each primary of PostgreSQL that this process has connected to within the last minute: system identifier and timeline. More than one for longer than that: a former primary can be reached.',
    labelNames: ['server'],
    registers: [],
  })
  registry.registerMetric(
    new Gauge({
      name: 'hosting_durability',
      help: '1 if PostgreSQL keeps what it has confirmed, 0 if this setting is off and it may be lost.',
      labelNames: ['setting'],
      registers: [],
      async collect() {
        this.reset()
        const { settings, commitWaitMs, primaries } = await connections.readDurability()
        for (const [setting, isOn] of Object.entries(settings)) this.set({ setting }, Number(isOn))
        commitWait.set(commitWaitMs / 1_000)
        primary.reset()
        for (const server of primaries) primary.set({ server }, 1)
      },
    }),
  )
  // Collected after the settings, which set it.
  registry.registerMetric(commitWait)
  registry.registerMetric(primary)
}

function addPoolMetrics(registry: Registry, { pools }: Connections): void {
  const open = Object.entries(pools).flatMap(([name, pool]) =>
    pool ? [[name, pool] as const] : [],
  )
  registry.registerMetric(
    new Gauge({
      name: 'hosting_database_connections',
      help: 'Open connections to PostgreSQL, by pool: in use, idle, or closing while the server has not responded.',
      labelNames: ['pool', 'state'],
      registers: [],
      collect() {
        for (const [pool, { totalCount, idleCount, closingCount }] of open) {
          this.set({ pool, state: 'in_use' }, totalCount - idleCount)
          this.set({ pool, state: 'idle' }, idleCount)
          this.set({ pool, state: 'closing' }, closingCount)
        }
      },
    }),
  )
  registry.registerMetric(
    new Gauge({
      name: 'hosting_database_waiting',
      help: 'Statements that wait for a connection to PostgreSQL, by pool.',
      labelNames: ['pool'],
      registers: [],
      collect() {
        for (const [pool, { waitingCount }] of open) this.set({ pool }, waitingCount)
      },
    }),
  )
}

/** Runs at most one query at a time, even if scrapes arrive while the database does not respond. */
function boundedReachability({ isDatabaseReachable }: Connections): () => Promise<boolean> {
  let asked: Promise<boolean> | undefined
  return () => {
    asked ??= isDatabaseReachable().finally(() => (asked = undefined))
    return Promise.race([asked, setTimeout(reachableMsMax, false, { ref: false })])
  }
}
